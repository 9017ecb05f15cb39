import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useCurrentInView } from '../browser.ts';
import { useCalm, useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { useRowPages, type AnyRow, Sorting, type SortOrder } from '../state/row-pages.tsx';
import { collectionOf, loadRowSchemas } from '../state/row-schema.ts';
import { Undo } from '../state/deletion.tsx';
import { plainText } from '../../text/json.ts';
import { Search } from '../parts/fields.tsx';

/** The columns that are shown first, in this order. */
const TELLING = [
  'display_name',
  'name',
  'email',
  'identifier',
  'type',
  'provider',
  'status',
  'membership_status',
  'external_id',
  'slug',
  'organization_id',
  'user_id',
];

/** The collections of the environment, and the rows of one. */
export function StatePage() {
  const { id: collection } = route.value;
  const counts = useData(() => environment.value.state.counts(), ['state', 'snapshot']);
  const schemas = useData(loadRowSchemas, ['none']);
  return (
    <>
      <Heading title="State">
        {collection && (
          <a class="button" href={href('row', collection)}>
            New row
          </a>
        )}
      </Heading>
      <Undo />
      <Complaint of={counts.error ?? schemas.error} />
      <div class="columns side">
        {counts.value && <Collections counts={counts.value} chosen={collection} />}
        {counts.value && !collection && <Empty>Choose a collection to see its rows.</Empty>}
        {schemas.value && collection && (
          <Rows
            key={`${environment.value.name}/${collection}`}
            collection={collection}
            prefixes={schemas.value.collectionsByPrefix()}
          />
        )}
      </div>
    </>
  );
}

interface CollectionsProps {
  counts: Readonly<Record<string, number>>;
  chosen: string | undefined;
}

function Collections({ counts, chosen }: CollectionsProps) {
  const list = useCurrentInView(chosen);
  return (
    <nav ref={list} class="collections" aria-label="Collections">
      {Object.entries(counts).map(([name, count]) => (
        <a
          key={name}
          href={href('state', name)}
          class={count === 0 ? 'none' : ''}
          aria-current={name === chosen ? 'true' : undefined}
        >
          {name.replaceAll('_', ' ')} <span>{count}</span>
        </a>
      ))}
    </nav>
  );
}

interface RowsProps {
  collection: string;
  prefixes: ReadonlyMap<string, string>;
}

/** Only the rows in view are read, whatever the size of the collection. */
function Rows({ collection, prefixes }: RowsProps) {
  const filter = useSignal('');
  const order = useSignal<SortOrder | undefined>(undefined);
  const search = {
    words: useCalm(filter.value.trim()),
    sort: order.value?.by,
    isReversed: order.value?.isReversed ?? false,
  };
  const { rows, error, show } = useRowPages(collection, search);
  const columns = useColumns(rows);
  return (
    <section class="table">
      <Complaint of={error} />
      <Search label={`Filter ${collection}`} placeholder="Any text of a row" text={filter} />
      <Sorting columns={['id', ...columns]} order={order} />
      {rows === undefined && !error && <Empty>Loading…</Empty>}
      {rows?.length === 0 && (
        <Empty>{search.words === '' ? 'This collection is empty.' : 'No row has this text.'}</Empty>
      )}
      {rows && rows.length > 0 && (
        <VirtualList
          key={JSON.stringify(search)}
          items={rows}
          label={`Rows of ${collection}`}
          keyOf={({ id }) => id}
          row={(row) => <StoredRow collection={collection} row={row} columns={columns} prefixes={prefixes} />}
          onView={show}
        />
      )}
    </section>
  );
}

/** The columns of the first rows, so that they stay the same while one scrolls. */
function useColumns(rows: readonly (AnyRow | undefined)[] | undefined): readonly string[] {
  const columns = useRef<readonly string[]>([]);
  if (columns.current.length > 0 || !rows) return columns.current;
  const read = rows.filter((row) => row !== undefined);
  columns.current = TELLING.filter((name) => read.some((row) => typeof row[name] === 'string')).slice(0, 3);
  return columns.current;
}

interface StoredRowProps {
  collection: string;
  row: AnyRow;
  columns: readonly string[];
  prefixes: ReadonlyMap<string, string>;
}

/** The row's own link, and a link for each id of another row. */
function StoredRow({ collection, row, columns, prefixes }: StoredRowProps) {
  const isReference = (name: string) => collectionOf(row[name], prefixes) !== undefined;
  return (
    <div class="stored">
      <a href={href('row', collection, row.id)}>
        <code>{row.id}</code>
        {columns
          .filter((name) => !isReference(name))
          .map((name) => (
            <span key={name}>{plainText(row[name])}</span>
          ))}
      </a>
      {columns.filter(isReference).map((name) => (
        <a
          key={name}
          class="reference"
          href={href('row', collectionOf(row[name], prefixes)!, plainText(row[name]))}
        >
          {plainText(row[name])}
        </a>
      ))}
    </div>
  );
}
