import { useSignal } from '@preact/signals';
import type { Collection, State } from '../../client/control.ts';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { textOf } from '../text.ts';

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
      <Complaint of={error} />
      <div class="columns side">
        {value && <Collections state={value} chosen={collection} />}
        {value && collection && (
          <Rows key={collection} collection={collection} rows={rowsOf(value, collection)} />
        )}
      </div>
    </>
  );
}

const rowsOf = (state: State, collection: string) =>
  (state[collection as Collection] ?? []) as unknown as AnyRow[];

const Collections = ({ state, chosen }: { state: State; chosen: string | undefined }) => (
  <nav class="collections" aria-label="Collections">
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

function Rows({ collection, rows }: { collection: string; rows: readonly AnyRow[] }) {
  const filter = useSignal('');
  const word = filter.value.toLowerCase();
  const shown = word === '' ? rows : rows.filter((row) => JSON.stringify(row).toLowerCase().includes(word));
  const columns = TELLING.filter((name) => rows.some((row) => typeof row[name] === 'string')).slice(0, 3);
  return (
    <section>
      <input
        type="search"
        aria-label={`Filter ${collection}`}
        placeholder="Any text of a row"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      {shown.length === 0 ? (
        <Empty>{rows.length === 0 ? 'This collection is empty.' : 'No row has this text.'}</Empty>
      ) : (
        <VirtualList
          items={shown}
          label={`Rows of ${collection}`}
          keyOf={({ id }) => id}
          row={(row) => (
            <a class="stored" href={href('row', collection, row.id)}>
              <code>{row.id}</code>
              {columns.map((name) => (
                <span key={name}>{textOf(row[name])}</span>
              ))}
            </a>
          )}
        />
      )}
    </section>
  );
}
