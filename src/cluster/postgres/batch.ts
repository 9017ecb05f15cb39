import type { Change, Commit, StoreError } from '../../store/change-log.ts';
import type { Tenure } from './tenure.ts';

/** Rows of a whole state that one part of its commit has. */
const PART_ROWS = 2000;

/** Commits of one environment that are stored together. */
export interface Batch {
  tenure: Tenure;
  /** Position of the first one. */
  position: number;
  bodies: string[];
  /** How many of them are in the database already; they count only once the position has passed them. */
  staged: number;
  stored: PromiseWithResolvers;
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
  reject: (reason: StoreError) => void;
}

export const createBatch = (tenure: Tenure, position: number): Batch => ({
  tenure,
  position,
  bodies: [],
  staged: 0,
  stored: withResolvers(),
});

function withResolvers(): PromiseWithResolvers {
  let [resolve, reject]: [() => void, (reason: StoreError) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((onStored, onFailed) => ([resolve, reject] = [onStored, onFailed]));
  promise.catch(() => {}); // the callers that wait for it get the error
  return { promise, resolve, reject };
}

/** The length of the commits that are not in the database. */
export const lengthOf = ({ bodies, staged }: Batch): number =>
  bodies.slice(staged).reduce((sum, body) => sum + body.length, 0);

/** The commit as text. A whole state becomes several commits: an empty state, and changes that add its rows. */
export function bodiesOf(commit: Commit): string[] {
  const { base, changes, marks } = commit;
  if (base === undefined || base === 'fixture') return [JSON.stringify(commit)];
  const count = Object.values(base).reduce((sum, rows) => sum + rows.length, 0);
  if (count <= PART_ROWS) return [JSON.stringify(commit)];
  const empty = Object.fromEntries(Object.keys(base).map((collection) => [collection, []]));
  const added = Object.entries(base).flatMap(([collection, rows]): Change[] =>
    rows.map((row) => ({ collection, id: row.id, row })),
  );
  const all = [...added, ...changes];
  const parts: Commit[] = [{ base: empty, changes: [], marks }];
  for (let at = 0; at < all.length; at += PART_ROWS)
    parts.push({ changes: all.slice(at, at + PART_ROWS), marks });
  return parts.map((part) => JSON.stringify(part));
}
