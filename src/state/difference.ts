import type { Change, Collections, Commit, Row } from '../store/change-log.ts';
import type { Tables, Env, Collection } from './env.ts';
import type { FixtureRows } from './fixture-rows.ts';
import { anyTable, COLLECTIONS } from './schema.ts';
import type { Layer } from '../rows/fixture-table.ts';
import type { RowBase } from '../rows/positions.ts';
import { rowAt } from '../rows/table.ts';
import type { SavedState } from './state.ts';

/**
 * The commit that turns the rows of one save point into those of another, in the same order. Contains all rows only
 * if rows must come back between others.
 */
export function commitBetween(from: SavedState, to: SavedState, fixture: FixtureRows): Omit<Commit, 'marks'> {
  const direct = from.fixture === to.fixture ? changesBetween(from, to) : undefined;
  if (direct) return { changes: direct };
  const fresh =
    to.fixture === fixture ? changesBetween({ ...to, layers: fixture.emptyLayers() }, to) : undefined;
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

/** Removals, replacements and additions; undefined if an added row would come before an existing one. */
function tableChanges(
  collection: Collection,
  fixtureRows: readonly RowBase[],
  from: Layer<RowBase>,
  to: Layer<RowBase>,
): Change[] | undefined {
  const changes: [gone: Change[], replaced: Change[], come: Change[]] = [[], [], []];
  const come = new Set<number>();
  const touched = [...new Set([...from.rows.keys(), ...to.rows.keys()])];
  for (const position of touched.toSorted((a, b) => a - b)) {
    const [before, after] = [rowAt(position, from, fixtureRows), rowAt(position, to, fixtureRows)];
    if (before === after) continue;
    const stays = before?.id === after?.id;
    if (before && !stays) changes[0].push({ collection, id: before.id, row: null });
    if (after) changes[stays ? 1 : 2].push({ collection, id: after.id, row: after as Row });
    if (after && !stays) come.add(position);
  }
  return isAtEnd(come, fixtureRows, to) ? changes.flat() : undefined;
}

/** Whether all rows after the first of these positions are among them. */
function isAtEnd(come: ReadonlySet<number>, fixtureRows: readonly RowBase[], to: Layer<RowBase>): boolean {
  const [first = to.next] = come;
  for (let position = first; position < to.next; position += 1)
    if (!come.has(position) && rowAt(position, to, fixtureRows)) return false;
  return true;
}

/**
 * The changes that turn the rows of a fixture into these, in the same order; undefined if there are more changes than rows.
 * Rows that look the same as text are the same.
 */
export function changesFrom(fixture: FixtureRows, wanted: Collections): Change[] | undefined {
  const all: Change[] = [];
  let count = 0;
  for (const collection of COLLECTIONS) {
    const rows = fixture.rows(collection);
    count += rows.length;
    for (const change of rowChanges(collection, rows, wanted[collection] ?? [])) all.push(change);
  }
  return all.length <= count ? all : undefined;
}

/** Removals, replacements and additions. A row that has moved is removed and added. */
function rowChanges(collection: Collection, from: readonly RowBase[], to: readonly Row[]): Change[] {
  const changes: [gone: Change[], replaced: Change[]] = [[], []];
  let next = 0;
  for (const row of from) {
    const wanted = to[next];
    if (wanted?.id !== row.id) {
      changes[0].push({ collection, id: row.id, row: null });
      continue;
    }
    if (JSON.stringify(wanted) !== JSON.stringify(row))
      changes[1].push({ collection, id: row.id, row: wanted });
    next += 1;
  }
  const come = to.slice(next).map((row): Change => ({ collection, id: row.id, row }));
  return [...changes.flat(), ...come];
}

/** Gives a table the rows of another moment, in their order. */
export function replaceRows(env: Env, then: Tables, collection: Collection): void {
  const [table, rows] = [anyTable(env, collection), anyTable(then, collection).list()];
  const wanted = new Set(rows.map(({ id }) => id));
  for (const { id } of table.list()) if (!wanted.has(id)) table.remove(id);
  const isWhole = table.count() === rows.length;
  // An inserted row comes last, so all rows are inserted again if one is missing.
  if (!isWhole) for (const { id } of table.list()) table.remove(id);
  for (const row of rows) {
    if (!isWhole) table.insert(row);
    else if (table.find(row.id) !== row) table.replace(row);
  }
}
