import type { Change, Commit, Row } from '../store/change-log.ts';
import type { Tables, Env } from './env.ts';
import type { FixtureRows } from './fixture/frozen-rows.ts';
import { plain } from './rows/cascade.ts';
import type { Layer } from './rows/layer.ts';
import { COLLECTIONS, type Collection } from './rows/schema.ts';
import type { RowBase } from './rows/table-seed.ts';
import type { SavedState } from './save-point.ts';

/**
 * What a log must hear for the rows of one point to become those of another, in the same order. It is small where that
 * is possible: where rows come back between others that are there, all of them are told.
 */
export function commitBetween(from: SavedState, to: SavedState, fixture: FixtureRows): Omit<Commit, 'marks'> {
  const direct = from.fixture === to.fixture ? changesBetween(from, to) : undefined;
  if (direct) return { changes: direct };
  const fresh =
    to.fixture === fixture ? changesBetween({ ...to, layers: fixture.untouched() }, to) : undefined;
  return fresh
    ? { base: 'fixture', changes: fresh }
    : { base: to.fixture.collections(to.layers), changes: [] };
}

function changesBetween(from: SavedState, to: SavedState): Change[] | undefined {
  const all: Change[] = [];
  for (const collection of COLLECTIONS) {
    const [old, now] = [from.layers[collection], to.layers[collection]];
    const changes = old === now ? [] : tableChanges(collection, to.fixture.rows(collection), old, now);
    if (!changes) return undefined;
    all.push(...changes);
  }
  return all;
}

/** Rows that go, rows that change in their place, then rows that come; undefined: one would come before another. */
function tableChanges(
  collection: Collection,
  seed: readonly RowBase[],
  from: Layer<RowBase>,
  to: Layer<RowBase>,
): Change[] | undefined {
  const changes: [gone: Change[], replaced: Change[], come: Change[]] = [[], [], []];
  const come = new Set<number>();
  const touched = [...new Set([...from.rows.keys(), ...to.rows.keys()])];
  for (const position of touched.toSorted((a, b) => a - b)) {
    const [before, after] = [from.at(position, seed), to.at(position, seed)];
    if (before === after) continue;
    const stays = before?.id === after?.id;
    if (before && !stays) changes[0].push({ collection, id: before.id, row: null });
    if (after) changes[stays ? 1 : 2].push({ collection, id: after.id, row: after as Row });
    if (after && !stays) come.add(position);
  }
  return isAtEnd(come, seed, to) ? changes.flat() : undefined;
}

/** Whether no other row comes after the first of these positions. */
function isAtEnd(come: ReadonlySet<number>, seed: readonly RowBase[], to: Layer<RowBase>): boolean {
  const [first = to.next] = come;
  for (let position = first; position < to.next; position += 1)
    if (!come.has(position) && to.at(position, seed)) return false;
  return true;
}

/** Lets a table have the rows of another time alone, in their order. */
export function putRows(env: Env, then: Tables, collection: Collection): void {
  const [table, rows] = [plain(env, collection), plain(then, collection).list()];
  const wanted = new Set(rows.map(({ id }) => id));
  for (const { id } of table.list()) if (!wanted.has(id)) table.remove(id);
  const isWhole = table.count() === rows.length;
  // One that comes back comes last: with it come all, so that they are in order again.
  if (!isWhole) for (const { id } of table.list()) table.remove(id);
  for (const row of rows) {
    if (!isWhole) table.insert(row);
    else if (table.find(row.id) !== row) table.replace(row);
  }
}
