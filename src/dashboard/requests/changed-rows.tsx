import type { JournalEntry } from '../../client/control.ts';
import { Badge, Empty } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { diffOf, type ChangedRow, type DiffLine } from './diff.ts';

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
