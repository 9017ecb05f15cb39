const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The vendor's guide "Implement webhooks": 5 s, 30 s, 2, 5 and 15 minutes, six attempts in all. */
const RETRY_DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE];

/**
 * When the next attempt is due; undefined: no more attempts. Retries are scheduled relative to the first attempt, so
 * setting the clock forward makes all of them due.
 */
export function nextAttemptTime(first: number, attempts: number): number | undefined {
  if (attempts > RETRY_DELAYS.length) return undefined;
  return RETRY_DELAYS.slice(0, attempts).reduce((time, pause) => time + pause, first);
}
