const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** From one attempt to the next, in milliseconds (reference: accounts-connections-events 5.4, its statement B). */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE];

/**
 * When it is tried again after that many attempts; undefined: no more. The times hang on the first alone, so that time
 * that is set forward brings all of them.
 */
export function nextAttempt(first: number, attempts: number): number | undefined {
  if (attempts > PAUSES.length) return undefined;
  return PAUSES.slice(0, attempts).reduce((time, pause) => time + pause, first);
}
