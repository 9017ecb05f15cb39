import type { JournalEntry } from '../../client/control.ts';
import { Badge, Empty } from '../parts/parts.tsx';
import { href } from '../route.ts';

/** More rows than this are folded. */
const MOST_OPEN = 4;

type Changes = JournalEntry['changes'];

/** The rows that the call changed, with old and new values. */
export function ChangedRows({ changes }: { changes: Changes }) {
  const rows = diffOf(changes);
  return (
    <section class="card">
      <h2>Changed rows</h2>
      {rows.length === 0 && <Empty>The call changed nothing.</Empty>}
      {rows.map((row) => (
        <details key={`${row.collection} ${row.id}`} class="changed-row" open={rows.length <= MOST_OPEN}>
          <summary>
            <Badge kind={KINDS[row.change]}>{row.change}</Badge> {row.collection.replaceAll('_', ' ')}{' '}
            {row.id}
          </summary>
          <Diff row={row} />
        </details>
      ))}
    </section>
  );
}

const KINDS = { added: 'good', removed: 'bad', changed: 'note' } as const;

const Diff = ({ row }: { row: ChangedRow }) => (
  <>
    <table class="diff" aria-label={`What changed in ${row.id}`}>
      <tbody>
        {row.lines.map((line, index) => (
          // Two elements of a list may be added in one call.
          // oxlint-disable-next-line react/no-array-index-key
          <Line key={`${line.member} ${index}`} line={line} />
        ))}
      </tbody>
    </table>
    {row.change !== 'removed' && (
      <p>
        <a href={href('row', row.collection, row.id)}>Open the row {row.id}</a>
      </p>
    )}
  </>
);

const Line = ({ line: { member, before, after } }: { line: DiffLine }) => (
  <tr>
    <th scope="row">{member}</th>
    <td>
      {before !== undefined && <del>{before}</del>}
      {after !== undefined && <ins>{after}</ins>}
    </td>
  </tr>
);

type Change = JournalEntry['changes'][number];

interface Caused {
  type?: string;
  event_type?: string;
}

/** The events that the call caused, and their deliveries: rows that it has added. */
export function Events({ changes }: { changes: readonly Change[] }) {
  const caused = changes.flatMap(({ op, path, value }) => {
    const [, collection = '', id = '', ...more] = path.split('/').map(unescapePointer);
    const isOne = op === 'add' && more.length === 0 && CAUSED.has(collection);
    const { type, event_type: ofEvent } = (value ?? {}) as Caused;
    return isOne ? [{ collection, id, type: type ?? ofEvent ?? '' }] : [];
  });
  if (caused.length === 0) return null;
  return (
    <section class="card">
      <h2>Events and deliveries</h2>
      <ul class="plain">
        {caused.map(({ collection, id, type }) => (
          <li key={id}>
            <Badge kind={collection === 'events' ? 'note' : ''}>{CAUSED.get(collection)}</Badge> {type}{' '}
            <a href={href('row', collection, id)}>{id}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const CAUSED = new Map([
  ['events', 'event'],
  ['webhook_deliveries', 'delivery'],
]);

type Step = JournalEntry['changes'][number];

/** One member of a row. Without `before` it is new, without `after` it is gone. */
interface DiffLine {
  /** Such as `metadata.plan`. */
  member: string;
  before: string | undefined;
  after: string | undefined;
}

interface ChangedRow {
  collection: string;
  id: string;
  change: 'added' | 'removed' | 'changed';
  lines: DiffLine[];
}

/** The steps of the patch by row. */
function diffOf(steps: readonly Step[]): ChangedRow[] {
  const rows = new Map<string, ChangedRow>();
  for (const step of steps) {
    const [, collection = '', id = '', ...names] = step.path.split('/').map(unescapePointer);
    const key = `${collection} ${id}`;
    const isWhole = names.length === 0 && step.op !== 'replace';
    const change = isWhole ? (step.op === 'add' ? 'added' : 'removed') : 'changed';
    const row = rows.get(key) ?? { collection, id, change, lines: [] };
    row.lines.push(...(isWhole ? linesOfRow(step) : [lineOfMember(names, step)]));
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** One line for each member of a row that was added or removed. */
function linesOfRow({ value, before }: Step): DiffLine[] {
  const row = value ?? before;
  if (typeof row !== 'object' || row === null) return [{ member: '', ...textsOf({ value, before }) }];
  return Object.entries(row).map(([member, each]) => ({
    member,
    ...textsOf(value === undefined ? { before: each } : { value: each }),
  }));
}

const lineOfMember = (names: readonly string[], step: Step): DiffLine => ({
  // `-` stands for the end of a list.
  member: names.filter((name) => name !== '-').join('.'),
  ...textsOf(step),
});

const textsOf = ({ value, before }: { value?: unknown; before?: unknown }) => ({
  before: before === undefined ? undefined : JSON.stringify(before, null, 2),
  after: value === undefined ? undefined : JSON.stringify(value, null, 2),
});

const unescapePointer = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
