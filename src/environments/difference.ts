import type { Change, Commit, Row } from '../store/change-log.ts';
import { COLLECTIONS, type Collection } from '../world/schema.ts';
import type { Layer } from '../world/layer.ts';
import type { RowBase } from '../world/seed.ts';
import type { Seed } from './seeds.ts';
import type { WorldPoint } from './world-point.ts';

/**
 * What a log must hear for the rows of one point to become those of another, in the same order. It is small where that
 * is possible: where rows come back between others that are there, all of them are told.
 */
export function commitBetween(from: WorldPoint, to: WorldPoint, fixture: Seed): Omit<Commit, 'marks'> {
  const direct = from.seed === to.seed ? changesBetween(from, to) : undefined;
  if (direct) return { changes: direct };
  const fresh = to.seed === fixture ? changesBetween({ ...to, layers: fixture.untouched() }, to) : undefined;
  return fresh ? { base: 'fixture', changes: fresh } : { base: to.seed.collections(to.layers), changes: [] };
}

function changesBetween(from: WorldPoint, to: WorldPoint): Change[] | undefined {
  const all: Change[] = [];
  for (const collection of COLLECTIONS) {
    const [old, now] = [from.layers[collection], to.layers[collection]];
    const changes = old === now ? [] : tableChanges(collection, to.seed.rows(collection), old, now);
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
