import { COLLECTIONS, TABLES, anyTable } from './schema.ts';
import type { Tables, Collection } from './env.ts';

/** When time will change a row. The row may have changed before, so check it when the time comes. */
export interface Deadline {
  at: number;
  collection: Collection;
  id: string;
}

/** Sorted once for a fixture and shared by its environments. */
export function deadlinesOf(tables: Tables): Deadline[] {
  const due: Deadline[] = [];
  for (const collection of COLLECTIONS) {
    if (!TABLES[collection].deadline) continue;
    for (const row of anyTable(tables, collection).list()) {
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

/** Whether the row still exists and still has this deadline. */
export const isStillDueIn =
  (tables: Tables) =>
  ({ at, collection, id }: Deadline): boolean => {
    const row = anyTable(tables, collection).find(id);
    return row !== undefined && deadlineOf(collection, row) === at;
  };

const byTime = (a: Deadline, b: Deadline) => a.at - b.at || (a.id < b.id ? -1 : 1);

const MIN_PRUNE_SIZE = 1000;

/** The deadlines of one environment in order: the fixture's sorted list plus a heap of the environment's own. */
export class Deadlines {
  /** The time of the first deadline. A field, because every call compares it. */
  nextAt = Infinity;
  readonly #fixture: readonly Deadline[];
  #passed: number;
  #own: Deadline[];
  /** Copies share the heap until one of them writes. */
  #isShared = false;
  /** The heap size at which deadlines of changed or removed rows are pruned. */
  #pruneSize: number;

  constructor(fixture: readonly Deadline[], passed = 0, own: Deadline[] = []) {
    this.#fixture = fixture;
    this.#passed = passed;
    this.#own = own;
    this.#pruneSize = Math.max(MIN_PRUNE_SIZE, 2 * own.length);
    this.#noteNext();
  }

  copy(): Deadlines {
    const copy = new Deadlines(this.#fixture, this.#passed, this.#own);
    this.#isShared = true;
    copy.#isShared = true;
    return copy;
  }

  /** `isLive`: whether the row still has the deadline. */
  add(due: Deadline, isLive: (due: Deadline) => boolean): void {
    if (this.#own.length >= this.#pruneSize) this.#prune(isLive);
    const heap = this.#ownHeap();
    let child = heap.push(due) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (byTime(heap[parent]!, due) <= 0) break;
      heap[child] = heap[parent]!;
      child = parent;
    }
    heap[child] = due;
    this.#noteNext();
  }

  /** Removes and returns the first deadline that is due. */
  takeDue(now: number): Deadline | undefined {
    if (this.nextAt > now) return undefined;
    const fromFixture = this.#fixture[this.#passed];
    const own = this.#own[0];
    const isOwn = own !== undefined && (!fromFixture || byTime(own, fromFixture) < 0);
    const first = isOwn ? this.#pop() : fromFixture;
    if (!isOwn) this.#passed += 1;
    this.#noteNext();
    return first;
  }

  #noteNext(): void {
    const [fromFixture, own] = [this.#fixture[this.#passed], this.#own[0]];
    this.nextAt = Math.min(fromFixture?.at ?? Infinity, own?.at ?? Infinity);
  }

  /** Keeps live deadlines only. A sorted array is a valid heap. */
  #prune(isLive: (due: Deadline) => boolean): void {
    const live = new Map<string, Deadline>();
    for (const due of this.#own) if (isLive(due)) live.set(`${due.at} ${due.collection} ${due.id}`, due);
    this.#own = [...live.values()].toSorted(byTime);
    this.#isShared = false;
    this.#pruneSize = Math.max(MIN_PRUNE_SIZE, 2 * this.#own.length);
  }

  #ownHeap(): Deadline[] {
    if (this.#isShared) this.#own = [...this.#own];
    this.#isShared = false;
    return this.#own;
  }

  #pop(): Deadline {
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
