import { uptime } from '../state/clock.ts';

/** Work in small steps, so that other calls can be served between two steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps synchronously. */
export function runSync<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Lets other calls run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Bytes of a body that takes milliseconds to read. */
const LARGE = 100_000;

/** Lets other calls run between reading a large body, checking it and using it. */
export async function nextTurnIfLarge(body: Uint8Array | undefined): Promise<void> {
  if (body && body.length >= LARGE) await nextTurn();
}

/** Milliseconds that other calls wait at most, unless a single step takes longer. */
const TURN_LENGTH = 5;

/** Runs all steps and lets other calls run in between. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  let startedAt = uptime();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (uptime() - startedAt < TURN_LENGTH) continue;
    await nextTurn();
    startedAt = uptime();
  }
}

/** Limits the conditions of one call to about 60 ms: the costliest step takes 85 nanoseconds. */
export const MAX_STEPS = 700_000;

/** The cost of comparing one call with conditions. */
export class StepBudget {
  #left = MAX_STEPS;
  /** Those that were run: a comparison for which too few are left is not. */
  run = 0;

  spend(steps: number): void {
    this.#left -= steps;
    if (!this.isSpent) this.run += steps;
  }

  /** Once spent, no further condition matches. */
  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** Counts the steps and says whether any are left. Without a budget everything is allowed. */
export function canSpend(work: StepBudget | undefined, steps: number): boolean {
  work?.spend(steps);
  return !work?.isSpent;
}
