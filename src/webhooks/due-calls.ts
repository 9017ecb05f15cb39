import type { RowChange, Tables, Env, Collection, Rows } from '../state/env.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { SharedLog } from '../store/storage.ts';
import type { Activity } from '../journal/activity.ts';
import type { Clock } from '../state/clock.ts';
import type { Committed, TransactionOptions } from '../state/units-of-work.ts';

/** Collections whose rows are calls that the environment has to make. */
export type CallCollection = 'outgoing_calls' | 'webhook_deliveries' | 'idp_pushes';

export interface DueCall {
  readonly collection: CallCollection;
  readonly id: string;
}

interface DueRule<R> {
  /** Statuses of waiting calls. */
  statuses: readonly string[];
  isDue: (row: R) => boolean;
}

const DUE_RULES: { readonly [C in CallCollection]: DueRule<Rows[C]> } = {
  outgoing_calls: { statuses: ['PENDING'], isDue: ({ status }) => status === 'PENDING' },
  webhook_deliveries: {
    statuses: ['RETRYING', 'QUEUED'],
    isDue: ({ status, next_attempt_at }) =>
      next_attempt_at === undefined && (status === 'QUEUED' || status === 'RETRYING'),
  },
  idp_pushes: {
    statuses: ['QUEUED', 'RETRYING'],
    isDue: ({ status, next_attempt_at }) =>
      next_attempt_at === undefined && (status === 'QUEUED' || status === 'RETRYING'),
  },
};

const NONE: readonly DueCall[] = [];

/** Every commit asks, and most have none. */
export function dueCallsIn(changes: readonly RowChange[]): readonly DueCall[] {
  let calls: DueCall[] | undefined;
  for (const { collection, id, after } of changes)
    if (after && isCallCollection(collection) && isDue(collection, after))
      (calls ??= []).push({ collection, id });
  return calls ?? NONE;
}

/** All due calls, found by status. */
export const dueCallsOf = (tables: Tables): DueCall[] =>
  (Object.keys(DUE_RULES) as CallCollection[]).flatMap((collection) =>
    DUE_RULES[collection].statuses
      .flatMap((status) => tables[collection].list('status', status) as { id: string }[])
      .filter((row) => isDue(collection, row))
      .map(({ id }) => ({ collection, id })),
  );

export const isDue = (collection: CallCollection, row: object): boolean =>
  (DUE_RULES[collection] as DueRule<object>).isDue(row);

const isCallCollection = (collection: Collection): collection is CallCollection => collection in DUE_RULES;

/** The parts of an environment that its outgoing calls need. */
export interface CallingEnvironment {
  readonly name: string;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly scenarios: LoadedScenarios;
  readonly tables: Tables;
  /** `kept`: resolves once everything appended is stored; undefined if it is. */
  readonly log: { kept(): Promise<void> | undefined; readonly shared: SharedLog | undefined };
  kept(): Promise<void> | undefined;
  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T>;
}

type Delivery = Rows['webhook_deliveries'];

/** A delivery can be sent again without end. One schedule has at most 88 attempts, duplicates included. */
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
const HOUR = 60 * MINUTE;

type Schedule = NonNullable<Rows['settings']['webhook_retries']>;

/** The pauses before each retry. Four guides of the vendor name four schedules. */
const SCHEDULES: Readonly<Record<Schedule, readonly number[]>> = {
  six_attempts: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE],
  four_attempts: [MINUTE, 5 * MINUTE, 15 * MINUTE],
  eight_attempts: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  // Unverified (webhooks/pauses-between-retries): the guide says "with backoff" and names no times.
  three_retries: [5 * SECOND, 30 * SECOND, 2 * MINUTE],
};

/**
 * When the delivery is sent again; undefined: no more. Duplicates are no attempts, and a redelivery starts a new
 * schedule.
 */
export function nextRetryTime(delivery: Delivery, schedule: Schedule = 'six_attempts'): number | undefined {
  const { at, attempts_before } = delivery.redelivered ?? { at: delivery.created_at, attempts_before: 0 };
  const tries = attemptsAfter(delivery, attempts_before).filter(({ is_duplicate }) => !is_duplicate);
  return nextAttemptTime(Date.parse(at), tries.length, SCHEDULES[schedule]);
}

/** Retries are scheduled relative to the first attempt, so setting the clock forward makes all of them due. */
function nextAttemptTime(first: number, attempts: number, pauses: readonly number[]): number | undefined {
  if (attempts > pauses.length) return undefined;
  return pauses.slice(0, attempts).reduce((time, pause) => time + pause, first);
}
