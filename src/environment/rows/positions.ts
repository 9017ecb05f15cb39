/** Ascending row positions; a seed's whole list is a range and needs no array. */
export interface Positions {
  readonly length: number;
  at(index: number): number;
}

export const range = (length: number): Positions => ({ length, at: (index) => index });

export const listed = (positions: readonly number[]): Positions => ({
  length: positions.length,
  at: (index) => positions[index]!,
});

/** Index of the first position that is not below `position`. */
function lowerBound(positions: Positions, position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions.at(middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ascending positions that come and go; it costs little to take the first. */
class Added implements Positions {
  readonly #items: number[];
  /** So many at the beginning are gone. */
  #gone = 0;

  constructor(from?: Positions) {
    this.#items = Array.from({ length: from?.length ?? 0 }, (_, index) => from!.at(index));
  }

  get length(): number {
    return this.#items.length - this.#gone;
  }

  at(index: number): number {
    return this.#items[this.#gone + index]!;
  }

  add(position: number): void {
    this.#items.splice(this.#gone + lowerBound(this, position), 0, position);
  }

  remove(position: number): void {
    const index = lowerBound(this, position);
    if (index > 0) return void this.#items.splice(this.#gone + index, 1);
    this.#gone += 1;
    if (2 * this.#gone < this.#items.length) return;
    this.#items.splice(0, this.#gone);
    this.#gone = 0;
  }
}

/** What an environment adds to and takes from one list of its seed. The seed's list is never copied. */
export class Overlay {
  /** Who may write it. */
  readonly owner: object;
  readonly added: Added;
  readonly removed: Set<number>;
  /** So many at the beginning of the seed's list are known to be removed. */
  #skipped: number;

  constructor(owner: object, from?: Overlay) {
    this.owner = owner;
    this.added = new Added(from?.added);
    this.removed = new Set(from?.removed);
    this.#skipped = from ? from.#skipped : 0;
  }

  /** Where the seed's list begins that is left. */
  start(seed: Positions): number {
    while (this.#skipped < seed.length && this.removed.has(seed.at(this.#skipped))) this.#skipped += 1;
    return this.#skipped;
  }

  add(position: number, inSeed: boolean): void {
    if (!inSeed) return this.added.add(position);
    this.removed.delete(position);
    this.#skipped = 0;
  }

  remove(position: number, inSeed: boolean): void {
    if (inSeed) this.removed.add(position);
    else this.added.remove(position);
  }
}

const NOTHING = listed([]);

/** The seed's list with an environment's own changes laid over it, walked in either direction from any position. */
export class Bucket {
  readonly #seed: Positions;
  readonly #overlay: Overlay | undefined;

  constructor(seed: Positions, overlay: Overlay | undefined) {
    this.#seed = seed;
    this.#overlay = overlay;
  }

  get size(): number {
    return this.#seed.length - (this.#overlay?.removed.size ?? 0) + (this.#overlay?.added.length ?? 0);
  }

  /** Positions above `after`, ascending. */
  *ascending(after = -1): Generator<number> {
    const added = this.#overlay?.added ?? NOTHING;
    let s = Math.max(lowerBound(this.#seed, after + 1), this.#overlay?.start(this.#seed) ?? 0);
    let a = lowerBound(added, after + 1);
    while (s < this.#seed.length || a < added.length) {
      const fromSeed = a >= added.length || (s < this.#seed.length && this.#seed.at(s) < added.at(a));
      const position = fromSeed ? this.#seed.at(s++) : added.at(a++);
      if (!fromSeed || !this.#overlay?.removed.has(position)) yield position;
    }
  }

  /** Positions below `before`, descending. */
  *descending(before = Infinity): Generator<number> {
    const added = this.#overlay?.added ?? NOTHING;
    let s = lowerBound(this.#seed, before) - 1;
    let a = lowerBound(added, before) - 1;
    while (s >= 0 || a >= 0) {
      const fromSeed = a < 0 || (s >= 0 && this.#seed.at(s) > added.at(a));
      const position = fromSeed ? this.#seed.at(s--) : added.at(a--);
      if (!fromSeed || !this.#overlay?.removed.has(position)) yield position;
    }
  }
}
