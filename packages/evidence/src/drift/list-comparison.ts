import type { Pairs } from './pairs.ts';
import { idOf } from './value-kinds.ts';

/** Which items of two lists are the same, by index, in the order of the first list. */
export interface Items {
  together: [theirs: number, ours: number][];
  theirsOnly: number[];
  oursOnly: number[];
}

/** Whether the same items come in another order. */
export const isOutOfOrder = ({ together }: Items): boolean =>
  together.some(([, j], at) => at > 0 && j < together[at - 1]![1]);

type Distance = (theirs: unknown, ours: unknown) => { equal: number; different: number };

/** So many items that no id joins are compared with each other. */
const MOST_TRIALS = 40;

/** Joins items by known ids, then equal ones, then those that differ least. */
export function correspondingItems(
  theirs: readonly unknown[],
  ours: readonly unknown[],
  pairs: Pairs,
  distance: Distance,
): Items {
  const left = new Set(ours.keys());
  const found = new Map<number, number>();
  const join = (i: number, j: number | undefined) => {
    if (j === undefined || !left.delete(j)) return;
    found.set(i, j);
  };
  const ourIds = new Map(ours.map((item, j) => [idOf(item), j]));
  for (const [i, item] of theirs.entries()) {
    const id = idOf(item);
    if (id !== undefined) join(i, ourIds.get(pairs.ourOf(id)) ?? ourIds.get(id));
  }
  const open = () => [...theirs.keys()].filter((i) => !found.has(i));
  // Rows whose ids belong to others are not tried: they are other rows.
  const candidates = [...left].filter((j) => pairs.theirOf(idOf(ours[j]) ?? '') === undefined);
  const unknown = open().filter((i) => !pairs.knows(idOf(theirs[i]) ?? ''));
  const isFew = candidates.length <= MOST_TRIALS && unknown.length <= MOST_TRIALS;
  if (isFew) for (const i of unknown) join(i, nearest(theirs[i], i, { ours, left, candidates, distance }));
  else for (const i of unknown) if (left.has(i)) join(i, i);
  return {
    together: [...found].toSorted(([a], [b]) => a - b),
    theirsOnly: open(),
    oursOnly: [...left],
  };
}

interface Search {
  ours: readonly unknown[];
  left: ReadonlySet<number>;
  candidates: readonly number[];
  distance: Distance;
}

/** The item that differs least, and the one at the same place if several do. An item with an id must have something in common. */
function nearest(
  item: unknown,
  at: number,
  { ours, left, candidates, distance }: Search,
): number | undefined {
  let best: { j: number; cost: number } | undefined;
  for (const j of candidates) {
    if (!left.has(j)) continue;
    const { equal, different } = distance(item, ours[j]);
    if (idOf(item) !== undefined && different > equal) continue;
    const cost = different - equal / 100 + (j === at ? 0 : 0.001);
    if (!best || cost < best.cost) best = { j, cost };
  }
  return best?.j;
}
