import { useSignal, type Signal } from '@preact/signals';
import type { Collection, State } from '../../client/control.ts';
import { useCurrentInView } from '../browser.ts';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { collectionOf, collectionsByPrefix } from '../state/references.ts';
import { Undo } from '../state/undo.tsx';
import { plainText } from '../../text/json.ts';
import { hasWords } from '../words.ts';
import { Search } from '../parts/fields.tsx';

type AnyRow = Record<string, unknown> & { id: string };

/** Columns that say most about a row, in this order. */
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

/** Every row of the environment, by collection. */
export function StatePage() {
  const { id: collection } = route.value;
  const { value, error } = useData(() => environment.value.state.all(), ['state', 'snapshot']);
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
      <Complaint of={error} />
      <div class="columns side">
        {value && <Collections state={value} chosen={collection} />}
        {value && !collection && <Empty>Choose a collection to see its rows.</Empty>}
        {value && collection && (
          <Rows
            key={collection}
            collection={collection}
            rows={rowsOf(value, collection)}
            prefixes={collectionsByPrefix(value)}
          />
        )}
      </div>
    </>
  );
}

const rowsOf = (state: State, collection: string) =>
  (state[collection as Collection] ?? []) as unknown as AnyRow[];

function Collections({ state, chosen }: { state: State; chosen: string | undefined }) {
  const list = useCurrentInView(chosen);
  return (
    <nav ref={list} class="collections" aria-label="Collections">
      {Object.keys(state).map((name) => {
        const { length } = rowsOf(state, name);
        return (
          <a
            key={name}
            href={href('state', name)}
            class={length === 0 ? 'none' : ''}
            aria-current={name === chosen ? 'true' : undefined}
          >
            {name.replaceAll('_', ' ')} <span>{length}</span>
          </a>
        );
      })}
    </nav>
  );
}

interface RowsProps {
  collection: string;
  rows: readonly AnyRow[];
  prefixes: ReadonlyMap<string, string>;
}

/** The column that orders the rows, and whether the last comes first. */
interface SortOrder {
  by: string;
  isReversed: boolean;
}

function Rows({ collection, rows, prefixes }: RowsProps) {
  const filter = useSignal('');
  const order = useSignal<SortOrder | undefined>(undefined);
  const words = filter.value.trim();
  const found = words === '' ? rows : rows.filter((row) => hasWords(JSON.stringify(row), words));
  const columns = TELLING.filter((name) => rows.some((row) => typeof row[name] === 'string')).slice(0, 3);
  return (
    <section class="table">
      <Search label={`Filter ${collection}`} placeholder="Any text of a row" text={filter} />
      <Sorting columns={['id', ...columns]} order={order} />
      {found.length === 0 ? (
        <Empty>{rows.length === 0 ? 'This collection is empty.' : 'No row has this text.'}</Empty>
      ) : (
        <VirtualList
          items={sorted(found, order.value)}
          label={`Rows of ${collection}`}
          keyOf={({ id }) => id}
          row={(row) => <StoredRow collection={collection} row={row} columns={columns} prefixes={prefixes} />}
        />
      )}
    </section>
  );
}

function sorted(rows: readonly AnyRow[], order: SortOrder | undefined): readonly AnyRow[] {
  if (!order) return rows;
  const { by, isReversed } = order;
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const inOrder = rows.toSorted((a, b) => collator.compare(plainText(a[by]), plainText(b[by])));
  return isReversed ? inOrder.toReversed() : inOrder;
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
