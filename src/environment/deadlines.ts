import { COLLECTIONS, TABLES, type Collection } from './rows/schema.ts';
import { plain } from './rows/cascade.ts';
import type { Tables } from './env.ts';

/** A row that time alone will change. It may have changed otherwise by then: look at it again. */
export interface Due {
  at: number;
  collection: Collection;
  id: string;
}

/** What is due when, for the rows of a seed: sorted once, shared by its environments. */
export function dueOf(tables: Tables): Due[] {
  const due: Due[] = [];
  for (const collection of COLLECTIONS) {
    if (!TABLES[collection].deadline) continue;
    for (const row of plain(tables, collection).list()) {
      const at = deadlineOf(collection, row);
      if (at !== undefined) due.push({ at, collection, id: row.id });
    }
  }
  return due.toSorted(byTime);
}

export function deadlineOf(collection: Collection, row: object): number | undefined {
  const deadline = TABLES[collection].deadline as { at(row: object): string | undefined } | undefined;
  const at = Date.parse(deadline?.at(row) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** Whether a row is still due when it was: it may have changed otherwise, or be gone. */
export const isLiveIn =
  (tables: Tables) =>
  ({ at, collection, id }: Due): boolean => {
    const row = plain(tables, collection).find(id);
    return row !== undefined && deadlineOf(collection, row) === at;
  };

const byTime = (a: Due, b: Due) => a.at - b.at || (a.id < b.id ? -1 : 1);

const FEW = 1000;

/** The order in which time changes the rows of one environment: the seed's list, and a heap of its own beside it. */
export class Deadlines {
  readonly #seed: readonly Due[];
  #passed: number;
  #own: Due[];
  /** Copies read the same heap; who writes takes one of its own first. */
  #isShared = false;
  /** With so many it is time to look for those that no row has any more. */
  #most: number;

  constructor(seed: readonly Due[], passed = 0, own: Due[] = []) {
    this.#seed = seed;
    this.#passed = passed;
    this.#own = own;
    this.#most = Math.max(FEW, 2 * own.length);
  }

  /** Another one that goes on from here by itself. */
  copy(): Deadlines {
    const copy = new Deadlines(this.#seed, this.#passed, this.#own);
    this.#isShared = true;
    copy.#isShared = true;
    return copy;
  }

  /** `isLive`: whether the row is still due then. Rows that change often, or go, leave many behind that are not. */
  add(due: Due, isLive: (due: Due) => boolean): void {
    if (this.#own.length >= this.#most) this.#prune(isLive);
    const heap = this.#ownHeap();
    let child = heap.push(due) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (byTime(heap[parent]!, due) <= 0) break;
      heap[child] = heap[parent]!;
      child = parent;
    }
    heap[child] = due;
  }

  /** When the first is due; it stays. */
  next(): number | undefined {
    const [seeded, own] = [this.#seed[this.#passed], this.#own[0]];
    if (!seeded || !own) return (seeded ?? own)?.at;
    return Math.min(seeded.at, own.at);
  }

  /** Takes out the first that is due at that time. */
  take(now: number): Due | undefined {
    const seeded = this.#seed[this.#passed];
    const own = this.#own[0];
    if (own && own.at <= now && (!seeded || byTime(own, seeded) < 0)) return this.#pop();
    if (!seeded || seeded.at > now) return undefined;
    this.#passed += 1;
    return seeded;
  }

  /** A sorted list is a heap. */
  #prune(isLive: (due: Due) => boolean): void {
    const live = new Map<string, Due>();
    for (const due of this.#own) if (isLive(due)) live.set(`${due.at} ${due.collection} ${due.id}`, due);
    this.#own = [...live.values()].toSorted(byTime);
    this.#isShared = false;
    this.#most = Math.max(FEW, 2 * this.#own.length);
  }

  #ownHeap(): Due[] {
    if (this.#isShared) this.#own = [...this.#own];
    this.#isShared = false;
    return this.#own;
  }

  #pop(): Due {
    const heap = this.#ownHeap();
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= heap.length) break;
      const child = left + 1 < heap.length && byTime(heap[left + 1]!, heap[left]!) < 0 ? left + 1 : left;
      if (byTime(last, heap[child]!) <= 0) break;
      heap[parent] = heap[child]!;
      parent = child;
    }
    heap[parent] = last;
    return first;
  }
}
