/** How many steps all conditions that one call is compared with may take: a few tenths of a second at the worst. */
const MOST = 3_000_000;

/** What comparing one call with conditions has cost so far. */
export class Work {
  #left = MOST;

  spend(steps: number): void {
    this.#left -= steps;
  }

  /** What else is compared holds for nothing. */
  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** Whether so many steps can still be taken; they count. Nobody counts where a condition is looked at by itself. */
export function isPaid(work: Work | undefined, steps: number): boolean {
  work?.spend(steps);
  return !work?.isSpent;
}
