import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useCurrentInView } from '../browser.ts';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { rowNamed } from '../names.ts';
import { changeQuery, href, route } from '../route.ts';
import { environment } from '../session.ts';
import { useRowPages, type AnyRow, Sorting, type SortOrder } from '../state/row-pages.tsx';
import { collectionOf, loadRowSchemas } from '../state/row-schema.ts';
import { Undo } from '../state/deletion.tsx';
import { plainText } from '@understudy/text/json';
import { Search } from '../parts/fields.tsx';
import { useQueryText } from '../parts/query-text.ts';

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

/** The collection that is shown at first. */
const FIRST = 'organizations';

/** The collections of the environment, and the rows of one. */
export function StatePage() {
  const { id: collection = FIRST } = route.value;
  const counts = useData(() => environment.value.state.counts(), ['state', 'snapshot']);
  const schemas = useData(loadRowSchemas, ['none']);
  return (
    <>
      <Heading title="State">
        <a class="button" href={href('row', collection)}>
          New row
        </a>
      </Heading>
      <Undo key={environment.value.name} />
      <Complaint of={counts.error ?? schemas.error} />
      <div class="columns side">
        {counts.value && <Collections counts={counts.value} chosen={collection} />}
        {schemas.value && (
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
  const isWhole = useSignal(false);
  const isShown = (name: string) => isWhole.value || counts[name] !== 0 || name === chosen;
  return (
    <nav ref={list} class="collections" aria-label="Collections">
      {groupsOf(Object.keys(counts).filter(isShown)).map(({ title, names }) => (
        <div key={title} role="group" aria-label={title}>
          <h2>{title}</h2>
          {names.map((name) => (
            <a
              key={name}
              href={href('state', name)}
              class={counts[name] === 0 ? 'none' : ''}
              aria-current={name === chosen ? 'true' : undefined}
            >
              {name.replaceAll('_', ' ')} <span>{counts[name]}</span>
            </a>
          ))}
        </div>
      ))}
      <button
        type="button"
        class="quiet"
        aria-pressed={isWhole.value}
        onClick={() => (isWhole.value = !isWhole.value)}
      >
        Empty ones, too
      </button>
    </nav>
  );
}

/** The collections in groups, those first that are looked at most. A new collection is among the others. */
const GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Organizations', /^(organizations|users|memberships|domains|portal_links)$/],
  ['Access', /^(roles|permissions|scopes|resources|api_tokens|clients|client_)/],
  ['Single sign-on and directories', /^(connections|director|idp_|test_)/],
  ['Sign-ins', /session|login|code|passw|passkey|otp|totp|consent|sign_in|token|challenge|factor/],
  ['Accounts and tools', /account|tool|mcp|record/],
  ['Webhooks and mail', /event|webhook|outgoing|mail|interceptor/],
];

function groupsOf(names: readonly string[]): { title: string; names: string[] }[] {
  const groups = [
    ...GROUPS.map(([title]) => ({ title, names: [] as string[] })),
    { title: 'Others', names: [] },
  ];
  for (const name of names) {
    const place = GROUPS.findIndex(([, pattern]) => pattern.test(name));
    groups.at(place)!.names.push(name);
  }
  return groups.filter((group) => group.names.length > 0);
}

interface RowsProps {
  collection: string;
  prefixes: ReadonlyMap<string, string>;
}

/** Only the rows in view are read, whatever the size of the collection. */
function Rows({ collection, prefixes }: RowsProps) {
  const filter = useQueryText('contains');
  const order = orderInAddress();
  const search = {
    words: route.value.query.get('contains')?.trim() ?? '',
    sort: order?.by,
    isReversed: order?.isReversed ?? false,
  };
  const { rows, isOld, error, show } = useRowPages(collection, search);
  const columns = useColumns(rows);
  return (
    <section class="table" aria-busy={isOld}>
      <Complaint of={error} />
      <Search label={`Filter ${collection}`} placeholder="Any text of a row" text={filter} />
      <Sorting columns={['id', ...columns]} order={order} change={changeOrder} />
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

function orderInAddress(): SortOrder | undefined {
  const { query } = route.value;
  const [by, isReversed] = [query.get('sort') ?? undefined, query.get('reverse') === 'true'];
  return by === undefined && !isReversed ? undefined : { by, isReversed };
}

const changeOrder = (order: SortOrder | undefined) =>
  changeQuery({ sort: order?.by, reverse: order?.isReversed ? 'true' : undefined });

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
          {rowNamed(plainText(row[name])).value?.name ?? plainText(row[name])}
        </a>
      ))}
    </div>
  );
}
