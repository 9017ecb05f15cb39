/** Ascending row positions. A fixture's whole list is a range and needs no array. */
export interface Positions {
  readonly length: number;
  at(index: number): number;
}

export const positionRange = (length: number): Positions => ({ length, at: (index) => index });

export const positionList = (positions: readonly number[]): Positions => ({
  length: positions.length,
  at: (index) => positions[index]!,
});

/** The index of the first position that is not below `position`. */
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

/** Ascending positions that are added and removed; removing the first is cheap. */
class AddedPositions implements Positions {
  readonly #items: number[];
  /** The number of removed positions at the start. */
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

const NO_POSITIONS = positionList([]);
const NONE_REMOVED: ReadonlySet<number> = new Set();

/** What an environment adds to and removes from one list of the fixture. The fixture's list is never copied. */
export class Overlay {
  /** The layer that may write this overlay. */
  readonly owner: object;
  /** Both are made when they are first needed, because most overlays either add positions or remove some. */
  #added: AddedPositions | undefined;
  #removed: Set<number> | undefined;
  /** The number of removed positions at the start of the fixture's list. */
  #skipped: number;

  constructor(owner: object, from?: Overlay) {
    this.owner = owner;
    this.#added = from && from.added.length > 0 ? new AddedPositions(from.added) : undefined;
    this.#removed = from && from.removed.size > 0 ? new Set(from.removed) : undefined;
    this.#skipped = from ? from.#skipped : 0;
  }

  get added(): Positions {
    return this.#added ?? NO_POSITIONS;
  }

  get removed(): ReadonlySet<number> {
    return this.#removed ?? NONE_REMOVED;
  }

  /** The index of the first position of the fixture's list that is not removed. */
  start(fixture: Positions): number {
    while (this.#skipped < fixture.length && this.removed.has(fixture.at(this.#skipped))) this.#skipped += 1;
    return this.#skipped;
  }

  add(position: number, inFixture: boolean): void {
    if (!inFixture) return (this.#added ??= new AddedPositions()).add(position);
    this.#removed?.delete(position);
    this.#skipped = 0;
  }

  remove(position: number, inFixture: boolean): void {
    if (inFixture) (this.#removed ??= new Set()).add(position);
    else this.#added?.remove(position);
  }
}

/** The fixture's list combined with an environment's changes, walkable in both directions from any position. */
export class Bucket {
  readonly #fixture: Positions;
  readonly #overlay: Overlay | undefined;

  constructor(fixture: Positions, overlay: Overlay | undefined) {
    this.#fixture = fixture;
    this.#overlay = overlay;
  }

  get size(): number {
    return this.#fixture.length - (this.#overlay?.removed.size ?? 0) + (this.#overlay?.added.length ?? 0);
  }

  /** Positions above `after`. */
  *ascending(after = -1): Generator<number> {
    const added = this.#overlay?.added ?? NO_POSITIONS;
    let s = Math.max(lowerBound(this.#fixture, after + 1), this.#overlay?.start(this.#fixture) ?? 0);
    let a = lowerBound(added, after + 1);
    while (s < this.#fixture.length || a < added.length) {
      const fromFixture =
        a >= added.length || (s < this.#fixture.length && this.#fixture.at(s) < added.at(a));
      const position = fromFixture ? this.#fixture.at(s++) : added.at(a++);
      if (!fromFixture || !this.#overlay?.removed.has(position)) yield position;
    }
  }

  /** Positions below `before`. */
  *descending(before = Infinity): Generator<number> {
    const added = this.#overlay?.added ?? NO_POSITIONS;
    let s = lowerBound(this.#fixture, before) - 1;
    let a = lowerBound(added, before) - 1;
    while (s >= 0 || a >= 0) {
      const fromFixture = a < 0 || (s >= 0 && this.#fixture.at(s) > added.at(a));
      const position = fromFixture ? this.#fixture.at(s--) : added.at(a--);
      if (!fromFixture || !this.#overlay?.removed.has(position)) yield position;
    }
  }
}

export interface RowBase {
  readonly id: string;
}
