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
