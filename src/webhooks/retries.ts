import type { Rows } from '../state/schema.ts';

type Delivery = Rows['webhook_deliveries'];

/** A delivery can be sent again without end. One schedule has at most 66 attempts, duplicates included. */
const MAX_ATTEMPTS = 100;

/** How many attempts there were, including those that the row no longer has. */
export const attemptCount = ({ attempts, dropped_attempts = 0 }: Delivery): number =>
  attempts.length + dropped_attempts;

/** Attempts after the first `count` ones. */
const attemptsAfter = ({ attempts, dropped_attempts = 0 }: Delivery, count: number) =>
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
 * When the delivery is sent again; undefined: no more. Duplicates are no attempts, and a redelivery starts a new
 * schedule.
 */
export function nextRetryTime(delivery: Delivery): number | undefined {
  const { at, attempts_before } = delivery.redelivered ?? { at: delivery.created_at, attempts_before: 0 };
  const tries = attemptsAfter(delivery, attempts_before).filter(({ is_duplicate }) => !is_duplicate);
  return nextAttemptTime(Date.parse(at), tries.length);
}

/** Retries are scheduled relative to the first attempt, so setting the clock forward makes all of them due. */
function nextAttemptTime(first: number, attempts: number): number | undefined {
  if (attempts > RETRY_DELAYS.length) return undefined;
  return RETRY_DELAYS.slice(0, attempts).reduce((time, pause) => time + pause, first);
}
