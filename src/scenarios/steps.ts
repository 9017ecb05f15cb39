import { uptime } from '../world/clock.ts';

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
