import type { Contract } from '../contract/contract.ts';
import type { Tables, Env } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Keys } from '../environment/keys.ts';
import type { Rows } from '../environment/rows/schema.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { QueueOptions } from './queues.ts';

/** What becomes part of the row: how an attempt went. */
export type Attempt = Rows['webhook_deliveries']['attempts'][number];

/** `refused`: it can not be made, now or later. Scenarios alone let a call be `dropped` or `postponed`. */
export type AttemptResult = 'delivered' | 'failed' | 'refused' | 'dropped' | 'postponed';

export interface Outcome {
  result: AttemptResult;
  /** What was tried; more than once where a scenario wants it. */
  attempts: readonly Omit<Attempt, 'time'>[];
  /** What it waits for when it is postponed: a time, in milliseconds on the clock of the environment, or others. */
  until?: { time?: number; hold?: number };
}

/** What it takes to make a call. */
export interface CallContext {
  keys: Keys;
  /** What the service promises to send. */
  contract: Contract;
  allowed: AllowedHosts;
  /** Who calls, for the receiver. */
  userAgent: string;
  /** Told of what is a failure of ours. */
  report: (message: string, cause: unknown) => void;
  /** The process stops, or the rows that it is about are put back. */
  stopping: AbortSignal;
}

/** One kind of calls: what a row of theirs means. */
export interface CallKind<R> {
  /** Those of one lane wait for each other. */
  queueOf(row: R, tables: Tables): QueueOptions;
  /** Nobody outside of the process has a part in it. */
  isLocal(row: R, tables: Tables): boolean;
  /** Whatever goes wrong is an outcome. */
  attempt(row: R, environment: Environment, context: CallContext): Promise<Outcome>;
  /** The row once that has happened; its attempts are the last ones. */
  after(row: R, outcome: Outcome, now: number): R;
  /** What else follows from it, in the same unit of work. */
  follow?(env: Env, row: R, outcome: Outcome): void;
}

/** It was not made, and never will be. */
export const refused = (error: string): Outcome => ({
  result: 'refused',
  attempts: [{ duration_ms: 0, error }],
});

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
