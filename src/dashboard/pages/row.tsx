import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Collection } from '../../client/control.ts';
import { useAction, useData } from '../data.ts';
import { Complaint, Do, Empty, Field, Heading } from '../parts/parts.tsx';
import { go, href, route } from '../route.ts';
import { environment } from '../session.ts';

type Row = Record<string, unknown>;

/** One row: what it refers to, and its JSON to change. Without an id, a new one. */
export function RowPage() {
  const { id: collection = '', item: id = '' } = route.value;
  const load = () =>
    id === '' ? Promise.resolve({} as Row) : environment.value.state.get(collection as Collection, id);
  const { value, error } = useData<Row>(load as () => Promise<Row>, ['state'], collection, id);
  return (
    <>
      <p class="back">
        <a href={href('state', collection)}>{collection}</a>
      </p>
      <Heading title={id === '' ? `New row in ${collection}` : id} />
      <Complaint of={error} />
      {value && id !== '' && <References row={value} />}
      {value && (
        <Editor key={`${collection}/${id}`} collection={collection as Collection} id={id} row={value} />
      )}
    </>
  );
}

/** Collections by the member that names one of their rows. */
const REFERENCE = /^(.+)_id$/;

function References({ row }: { row: Row }) {
  const found = Object.entries(row).flatMap(([name, value]) => {
    const [, what] = REFERENCE.exec(name) ?? [];
    return what !== undefined && typeof value === 'string' ? [{ name, value, to: `${what}s` }] : [];
  });
  if (found.length === 0) return null;
  return (
    <dl class="pairs card">
      {found.map(({ name, value, to }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <a href={href('row', to, value)}>{value}</a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface EditorProps {
  collection: Collection;
  id: string;
  row: Row;
}

/** The row as JSON. A change of somebody else's is shown, unless the reader has begun to type. */
function Editor({ collection, id, row }: EditorProps) {
  const written = JSON.stringify(row, null, 2);
  const text = useSignal(written);
  const before = useSignal(written);
  const newId = useSignal('');
  const action = useAction();
  useEffect(() => {
    if (text.value === before.value) text.value = written;
    before.value = written;
  }, [written]);
  const { state } = environment.value;
  const isNew = id === '';
  const save = async () => {
    const wanted = JSON.parse(text.value) as Row;
    const to = isNew ? newId.value : id;
    await state.put(collection, to, wanted as never);
    before.value = text.value;
    if (isNew) go(href('row', collection, to));
  };
  const remove = async () => {
    await state.delete(collection, id);
    go(href('state', collection));
  };
  return (
    <section class="card">
      {isNew && (
        <Field
          label="Id"
          hint="With the prefix of its collection, such as org_1."
          value={newId.value}
          onInput={(value) => (newId.value = value)}
        />
      )}
      <Field label="JSON" rows={22} value={text.value} onInput={(value) => (text.value = value)} />
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do action={action} kind="main" run={save}>
          Save
        </Do>
        {!isNew && (
          <Do action={action} kind="bad" run={remove}>
            Delete
          </Do>
        )}
      </div>
      {!isNew && (
        <Empty>
          Deleting a row deletes the rows that belong to it. A snapshot (Environments) brings everything back.
        </Empty>
      )}
    </section>
  );
}
