import type { Collection } from '@understudy/client/control';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { rowNamed } from '../names.ts';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { Deletion } from '../state/deletion.tsx';
import { loadRowSchemas, newRow } from '../state/row-schema.ts';
import { Surroundings } from '../state/surroundings.tsx';
import type { Version } from '../state/editing.ts';
import { RowEditor } from '../state/row-editor.tsx';

/** One row as a form and as JSON. Without an id, a new one. */
export function RowPage() {
  const { id: collection = '', item: id = '' } = route.value;
  const schemas = useData(loadRowSchemas, ['none']);
  const load = (): Promise<Version> => (id === '' ? newRowOf(collection) : storedRow(collection, id));
  const kinds = id === '' ? ['none'] : ['state', 'snapshot'];
  const { value, error } = useData<Version>(load, kinds, collection, id);
  const clock = useData(() => environment.value.clock.get(), ['clock']);
  return (
    <>
      <p class="back">
        <a href={href('state', collection)}>{collection.replaceAll('_', ' ')}</a>
      </p>
      <RowHeading collection={collection} id={id} />
      <Complaint of={schemas.error ?? error} />
      {value && schemas.value && (
        <>
          {id !== '' && <Surroundings collection={collection as Collection} id={id} />}
          <RowEditor
            key={`${environment.value.name}/${collection}/${id}`}
            collection={collection as Collection}
            id={id}
            stored={value}
            schemas={schemas.value}
            now={clock.value && Date.parse(clock.value.now)}
          />
          {id !== '' && collection !== 'settings' && (
            <Deletion collection={collection as Collection} id={id} />
          )}
        </>
      )}
      {!value && !error && <Empty>Loading…</Empty>}
    </>
  );
}

/** The name of the row, with its id below. */
function RowHeading({ collection, id }: { collection: string; id: string }) {
  const row = id === '' ? undefined : rowNamed(id).value;
  if (id === '') return <Heading title={`New row in ${collection}`} />;
  const hasName = row && row.name !== id;
  return (
    <>
      <Heading title={hasName ? row.name : id} />
      {hasName && (
        <p class="facts">
          <code>{id}</code>
        </p>
      )}
    </>
  );
}

const storedRow = (collection: string, id: string): Promise<Version> =>
  environment.value.state.read(collection as Collection, id) as Promise<Version>;

/** Reads the row with the highest id alone. */
async function newRowOf(collection: string): Promise<Version> {
  const { state } = environment.value;
  const highest = await state.list(collection as Collection, { sort: 'id', reverse: true, limit: 1 });
  return { row: newRow(await loadRowSchemas(), collection, highest), version: undefined };
}
