import type { State } from '@understudy/client/control';
import { useData } from '../data.ts';
import { differences, type DifferingRow } from '../environments/difference.ts';
import { Choice } from '../parts/fields.tsx';
import { Badge, Complaint, Empty, Heading } from '../parts/parts.tsx';
import { changeQuery, environmentName, href, hrefIn, NOW, route, THEN } from '../route.ts';
import { control, environment, SHOWN_AT_REST } from '../session.ts';
import { isSecret } from '../state/row-schema.ts';

/** Which rows differ between two environments, or two moments of one. */
export function ComparePage() {
  const { query } = route.value;
  const places = useData(placesToCompare, ['snapshot', 'environment', 'reset']);
  const options = places.value ?? [];
  const left = query.get('left') ?? `${NOW}${environmentName.value}`;
  const right = query.get('right') ?? options.find(([value]) => value !== left)?.[0] ?? '';
  const read = async () =>
    right === '' ? undefined : differences(await stateOf(left), await stateOf(right));
  const { value, error } = useData(read, ['state', 'snapshot'], left, right);
  return (
    <>
      <p class="back">
        <a href={href('environments')}>Environments</a>
      </p>
      <Heading title="Compare" />
      <Complaint of={places.error ?? error} />
      <section class="card">
        <div class="grid">
          <Choice
            label="From"
            value={left}
            options={options}
            onInput={(text) => changeQuery({ left: text })}
          />
          <Choice
            label="To"
            value={right}
            options={options}
            onInput={(text) => changeQuery({ right: text })}
          />
        </div>
        {places.value && options.length < 2 && (
          <Empty>There is nothing to compare with. Take a snapshot, or make another environment.</Empty>
        )}
        {value && <Summary rows={value} />}
      </section>
      {value &&
        groupsOf(value).map((group) => <Group key={group.collection} of={group} left={left} right={right} />)}
    </>
  );
}

/** This environment, the others, and the snapshots of this one. */
async function placesToCompare(): Promise<(readonly [value: string, name: string])[]> {
  const [environments, snapshots] = await Promise.all([
    control().environments.list({ resting: SHOWN_AT_REST }),
    environment.value.snapshots.list(),
  ]);
  const own = environmentName.value;
  const names = [own, ...environments.map(({ name }) => name).filter((name) => name !== own)];
  return [
    ...names.map((name) => [`${NOW}${name}`, `${name}, now`] as const),
    ...snapshots.map(({ name }) => [`${THEN}${name}`, `${own}, snapshot ${name}`] as const),
  ];
}

const stateOf = (place: string): Promise<State> =>
  place.startsWith(THEN)
    ? environment.value.snapshots.state(place.slice(THEN.length))
    : control().environment(place.slice(NOW.length)).state.all();

const KINDS = { added: 'good', removed: 'bad', changed: 'note' } as const;

const countsOf = (rows: readonly DifferingRow[]) =>
  (['added', 'removed', 'changed'] as const).map(
    (change) => [change, rows.filter((row) => row.change === change).length] as const,
  );

const Summary = ({ rows }: { rows: readonly DifferingRow[] }) => (
  <p role="status">
    {rows.length === 0
      ? 'The rows are the same.'
      : countsOf(rows)
          .filter(([, count]) => count > 0)
          .map(([change, count]) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'} ${change}`)
          .join(', ')}
  </p>
);

interface CollectionDifference {
  collection: string;
  rows: readonly DifferingRow[];
}

function groupsOf(rows: readonly DifferingRow[]): CollectionDifference[] {
  const collections = [...new Set(rows.map(({ collection }) => collection))];
  return collections.map((collection) => ({
    collection,
    rows: rows.filter((row) => row.collection === collection),
  }));
}

/** The most rows of a collection that are shown. */
const MOST = 100;
/** More rows than this are folded. */
const MOST_OPEN = 3;

interface GroupProps {
  of: CollectionDifference;
  left: string;
  right: string;
}

const Group = ({ of: { collection, rows }, left, right }: GroupProps) => (
  <section class="card">
    <h2>
      {collection.replaceAll('_', ' ')}{' '}
      {countsOf(rows)
        .filter(([, count]) => count > 0)
        .map(([change, count]) => (
          <>
            <Badge kind={KINDS[change]}>
              {count} {change}
            </Badge>{' '}
          </>
        ))}
    </h2>
    {rows.slice(0, MOST).map((row) => (
      <Differing
        key={row.id}
        row={row}
        isOpen={rows.length <= MOST_OPEN}
        place={row.change === 'removed' ? left : right}
      />
    ))}
    {rows.length > MOST && <p class="faint">and {(rows.length - MOST).toLocaleString('en')} more</p>}
  </section>
);

interface DifferingProps {
  row: DifferingRow;
  isOpen: boolean;
  /** Where the row is. */
  place: string;
}

/** JSON of a member, with each secret hidden. */
function withoutSecrets(member: string, value: unknown): string {
  const hide = (name: string, each: unknown) =>
    typeof each === 'string' && isSecret(name, {}) ? '[hidden]' : each;
  const name = member.split('.').at(-1)!;
  return JSON.stringify(hide(name, value), hide, 2);
}

/** Member by member. */
const Differing = ({ row: { collection, id, change, name, members }, isOpen, place }: DifferingProps) => (
  <details class="changed-row" open={isOpen}>
    <summary>
      <Badge kind={KINDS[change]}>{change}</Badge> {name} <code class="faint">{id}</code>
    </summary>
    <table class="diff" aria-label={`What differs in ${id}`}>
      <tbody>
        {members.map(({ name: member, left, right }) => (
          <tr key={member}>
            <th scope="row">{member}</th>
            <td>
              {left !== undefined && <del>{withoutSecrets(member, left)}</del>}
              {right !== undefined && <ins>{withoutSecrets(member, right)}</ins>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {place.startsWith(NOW) && (
      <p>
        <a href={hrefIn(place.slice(NOW.length), 'row', collection, id)}>Open the row {id}</a>
      </p>
    )}
  </details>
);
