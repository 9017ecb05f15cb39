import { uptime } from '../environment/clock.ts';

/** Work in small steps: between two of them other calls may be served. Its result says nothing of when it was done. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** All steps, while everything else waits. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Other calls are served first. */
export const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How long other calls wait at most, in milliseconds, where no single step takes longer. */
const TURN = 20;

/** All steps, and other calls in between. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let begun = uptime();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (uptime() - begun < TURN) continue;
    await aTurn();
    begun = uptime();
  }
}

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
