/** Upper bounds of the buckets, in seconds. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const IN_MILLISECONDS = BOUNDS.map((seconds) => seconds * 1000);

/** A histogram in plain numbers, so that counting costs next to nothing. */
export class Durations {
  readonly #buckets = new Float64Array(BOUNDS.length);
  #count = 0;
  #milliseconds = 0;

  add(milliseconds: number): void {
    this.#count += 1;
    this.#milliseconds += milliseconds;
    for (let i = 0; i < IN_MILLISECONDS.length; i += 1)
      if (milliseconds <= IN_MILLISECONDS[i]!) {
        this.#buckets[i]! += 1;
        return;
      }
  }

  get count(): number {
    return this.#count;
  }

  /** In seconds. */
  get sum(): number {
    return this.#milliseconds / 1000;
  }

  /** How many were at most as long as each of `BOUNDS`. */
  cumulative(): number[] {
    let sum = 0;
    return Array.from(this.#buckets, (count) => (sum += count));
  }
}
