import type { Rows } from '../environment/rows/schema.ts';

type Delivery = Rows['webhook_deliveries'];

/** A delivery can be sent again without end. One schedule has at most 66 attempts, duplicates included. */
const MAX_ATTEMPTS = 100;

/** How many attempts there were, including those that the row no longer has. */
export const attemptCount = ({ attempts, dropped_attempts = 0 }: Delivery): number =>
  attempts.length + dropped_attempts;

/** Attempts after the first `count` ones. */
export const attemptsAfter = ({ attempts, dropped_attempts = 0 }: Delivery, count: number) =>
  attempts.slice(Math.max(0, count - dropped_attempts));

export function withLatestAttempts(delivery: Delivery): Delivery {
  const { attempts, dropped_attempts = 0 } = delivery;
  const surplus = attempts.length - MAX_ATTEMPTS;
  if (surplus <= 0) return delivery;
  return { ...delivery, attempts: attempts.slice(surplus), dropped_attempts: dropped_attempts + surplus };
}

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
