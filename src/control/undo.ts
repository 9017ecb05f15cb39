import type { Environment } from '../environment/environment.ts';
import { failedPrecondition } from '../contract/errors.ts';
import { restoreRows } from '../scenarios/loaded-scenario.ts';
import { anyTable } from '../state/schema.ts';
import type { RowChange } from '../state/env.ts';
import { unknownName, type ControlOperations } from './handler.ts';

/** A change of rows that can be undone. */
interface KeptChange {
  id: string;
  /** What was done, such as `change`. */
  verb: 'insert' | 'change' | 'delete';
  collection: string;
  row: string;
  time: string;
  changes: readonly RowChange[];
}

/** The most changes that an environment keeps, and the most rows that they have together. */
const MOST = 10;
const MOST_ROWS = 20_000;

interface Kept {
  last: number;
  /** Oldest first. */
  changes: readonly KeptChange[];
}

/** They live as long as the environment is in memory. */
const kept = new WeakMap<Environment, Kept>();

const keptOf = (environment: Environment): Kept => kept.get(environment) ?? { last: 0, changes: [] };

export function keepForUndo(environment: Environment, change: Omit<KeptChange, 'id' | 'time'>): void {
  if (change.changes.length === 0) return;
  const { last, changes } = keptOf(environment);
  const time = new Date(environment.clock.now()).toISOString();
  const all = [...changes, { ...change, id: `undo_${last + 1}`, time }];
  kept.set(environment, { last: last + 1, changes: bounded(all) });
}

/** The latest ones. */
function bounded(all: readonly KeptChange[]): readonly KeptChange[] {
  let rows = 0;
  const tooMany = all.findLastIndex(({ changes }) => (rows += changes.length) > MOST_ROWS);
  return all.slice(Math.max(tooMany + 1, all.length - MOST));
}

/** Whether the rows are still as the change has left them. */
const fits = ({ tables }: Environment, { changes }: KeptChange): boolean =>
  changes.every(({ collection, id, after }) => anyTable(tables, collection).find(id) === after);

/** The changes that can be undone, if the later ones are undone first. The others are forgotten. */
function fitting(environment: Environment): readonly KeptChange[] {
  const { last, changes } = keptOf(environment);
  /** Rows as they are once the later changes are undone. */
  const undone = new Map<string, object | undefined>();
  const isLeft = ({ changes: rows }: KeptChange) => {
    const isSame = rows.every(({ collection, id, after }) => {
      const key = `${collection} ${id}`;
      return (
        (undone.has(key) ? undone.get(key) : anyTable(environment.tables, collection).find(id)) === after
      );
    });
    if (isSame) for (const { collection, id, before } of rows) undone.set(`${collection} ${id}`, before);
    return isSame;
  };
  const left = changes.toReversed().filter(isLeft).toReversed();
  if (left.length < changes.length) kept.set(environment, { last, changes: left });
  return left;
}

export const undo = {
  Control_ListUndos(_, { environment }) {
    const undos = fitting(environment).map(({ changes, ...change }) => ({ ...change, rows: changes.length }));
    return { undos };
  },

  Control_Undo({ path }, { environment, baseUrl }) {
    const left = fitting(environment);
    const found = left.find(({ id }) => id === path.id);
    if (!found || !fits(environment, found)) throw missing(environment, path.id, left);
    environment.transact({ baseUrl, isSetUp: true }, (env) => restoreRows(env, found.changes));
    const { last } = keptOf(environment);
    kept.set(environment, { last, changes: left.filter((each) => each !== found) });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

function missing(environment: Environment, id: string, left: readonly KeptChange[]): Error {
  const { last } = keptOf(environment);
  const number = Number(/^undo_(\d+)$/.exec(id)?.[1]);
  if (number >= 1 && number <= last)
    return failedPrecondition(
      `${id}: it was undone, or its rows have changed since, or ${MOST} later changes are kept`,
    );
  return unknownName(
    'undo',
    id,
    left.map((each) => each.id),
  );
}
