export interface Bounds<T> {
  /** How many items are kept, and how much all of them may weigh. */
  most: number;
  weight: number;
  weightOf: (item: T) => number;
}

/** The latest items of a list that grows. An item keeps its index when older ones go. */
export class BoundedList<T> {
  readonly #bounds: Bounds<T>;
  #items: T[] = [];
  /** How many of `#items` are gone, and how many items went before the first of them. */
  #gone = 0;
  #offset = 0;
  #weight = 0;

  /** `first`: the index that the first item gets. */
  constructor(bounds: Bounds<T>, first = 0) {
    this.#bounds = bounds;
    this.#offset = first;
  }

  /** The index of the oldest item that is kept. */
  get start(): number {
    return this.#offset + this.#gone;
  }

  /** The index that the next item gets. */
  get end(): number {
    return this.#offset + this.#items.length;
  }

  at(index: number): T | undefined {
    return index < this.start ? undefined : this.#items[index - this.#offset];
  }

  /** The items from `from` up to `to`, which is excluded. */
  slice(from: number, to: number): readonly T[] {
    return this.#items.slice(Math.max(from, this.start) - this.#offset, Math.max(0, to - this.#offset));
  }

  /** -1: none. */
  lastIndexWhere(isIt: (item: T) => boolean): number {
    for (let index = this.end - 1; index >= this.start; index -= 1)
      if (isIt(this.#items[index - this.#offset]!)) return index;
    return -1;
  }

  push(item: T): void {
    const { most, weight, weightOf } = this.#bounds;
    this.#items.push(item);
    this.#weight += weightOf(item);
    while (this.end - this.start > 1 && (this.end - this.start > most || this.#weight > weight)) {
      this.#weight -= weightOf(this.#items[this.#gone]!);
      this.#items[this.#gone] = undefined as T;
      this.#gone += 1;
    }
    if (this.#gone > most) this.#compact();
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#gone);
    this.#offset += this.#gone;
    this.#gone = 0;
  }
}
