/** The first items of a long sequence in an order, without sorting all of them. */
export class Earliest<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  #kept: T[] = [];
  /** Items after it can't be among the first. */
  #last: T | undefined;
  /** How many items were added. */
  count = 0;

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: T): void {
    this.count += 1;
    if (this.#last !== undefined && this.#compare(item, this.#last) > 0) return;
    this.#kept.push(item);
    if (this.#kept.length <= 2 * this.#limit) return;
    this.#kept = this.list();
    this.#last = this.#kept.at(-1);
  }

  list(): T[] {
    return this.#kept.toSorted(this.#compare).slice(0, this.#limit);
  }
}
