import { useSignal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Collection } from '../../client/control.ts';
import { useCurrentInView } from '../browser.ts';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { useOrdered, type AnyRow, type SortOrder } from '../state/row-order.ts';
import { collectionOf, loadRowSchemas } from '../state/row-schema.ts';
import { Undo } from '../state/undo.tsx';
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
          <Rows key={collection} collection={collection} prefixes={schemas.value.collectionsByPrefix()} />
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

function Rows({ collection, prefixes }: RowsProps) {
  const load = () => environment.value.state.list(collection as Collection) as Promise<readonly unknown[]>;
  const { value, error } = useData(load, ['state', 'snapshot'], collection);
  return (
    <section class="table">
      <Complaint of={error} />
      {value ? (
        <RowTable collection={collection} rows={value as readonly AnyRow[]} prefixes={prefixes} />
      ) : (
        !error && <Empty>Loading…</Empty>
      )}
    </section>
  );
}

function RowTable({ collection, rows, prefixes }: RowsProps & { rows: readonly AnyRow[] }) {
  const filter = useSignal('');
  const order = useSignal<SortOrder | undefined>(undefined);
  const shown = useOrdered(rows, filter.value.trim(), order.value);
  const columns = useMemo(
    () => TELLING.filter((name) => rows.some((row) => typeof row[name] === 'string')).slice(0, 3),
    [rows],
  );
  return (
    <>
      <Search label={`Filter ${collection}`} placeholder="Any text of a row" text={filter} />
      <Sorting columns={['id', ...columns]} order={order} />
      {shown.length === 0 ? (
        <Empty>{rows.length === 0 ? 'This collection is empty.' : 'No row has this text.'}</Empty>
      ) : (
        <VirtualList
          items={shown}
          label={`Rows of ${collection}`}
          keyOf={({ id }) => id}
          row={(row) => <StoredRow collection={collection} row={row} columns={columns} prefixes={prefixes} />}
        />
      )}
    </>
  );
}

/** Each press: ascending, descending, as stored. */
const Sorting = ({
  columns,
  order,
}: {
  columns: readonly string[];
  order: Signal<SortOrder | undefined>;
}) => (
  <div class="sorting" role="group" aria-label="Sort by">
    {columns.map((name) => {
      const current = order.value?.by === name ? order.value : undefined;
      const direction = current ? (current.isReversed ? ', descending' : ', ascending') : '';
      return (
        <button
          key={name}
          type="button"
          aria-pressed={current !== undefined}
          aria-label={`Sort by ${name}${direction}`}
          onClick={() =>
            (order.value = current?.isReversed ? undefined : { by: name, isReversed: current !== undefined })
          }
        >
          {name} {current ? (current.isReversed ? '↓' : '↑') : ''}
        </button>
      );
    })}
  </div>
);

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
