import type { Collection } from '../../client/control.ts';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { Deletion, Undo } from '../state/deletion.tsx';
import { collectionOf, loadRowSchemas, newRow, type RowSchemas } from '../state/row-schema.ts';
import type { Row, Version } from '../state/editing.ts';
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
      <Heading title={id === '' ? `New row in ${collection}` : id} />
      <Undo />
      <Complaint of={schemas.error ?? error} />
      {value && schemas.value && (
        <>
          {id !== '' && <References row={value.row} schemas={schemas.value} />}
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

const storedRow = (collection: string, id: string): Promise<Version> =>
  environment.value.state.read(collection as Collection, id) as Promise<Version>;

/** Reads the row with the highest id alone. */
async function newRowOf(collection: string): Promise<Version> {
  const { state } = environment.value;
  const highest = await state.list(collection as Collection, { sort: 'id', reverse: true, limit: 1 });
  return { row: newRow(await loadRowSchemas(), collection, highest), version: undefined };
}

/** Links to the rows that this row names. */
function References({ row, schemas }: { row: Row; schemas: RowSchemas }) {
  const prefixes = schemas.collectionsByPrefix();
  const found = Object.entries(row).flatMap(([name, value]) =>
    name === 'id'
      ? []
      : [value].flat().flatMap((each) => {
          const to = collectionOf(each, prefixes);
          return to === undefined ? [] : [{ name, value: String(each), to }];
        }),
  );
  if (found.length === 0) return null;
  return (
    <dl class="pairs card">
      {found.map(({ name, value, to }) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>
            <a href={href('row', to, value)}>{value}</a>
          </dd>
        </div>
      ))}
    </dl>
  );
}
