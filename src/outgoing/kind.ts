import type { Contract } from '../contract/contract.ts';
import type { Environment } from '../environments/environment.ts';
import type { Keys } from '../world/keys.ts';
import type { Rows } from '../world/schema.ts';
import type { Tables, World } from '../world/world.ts';
import type { Allowed } from './allowed.ts';
import type { Lane } from './lanes.ts';

/** What becomes part of the row: how an attempt went. */
export type Attempt = Rows['webhook_deliveries']['attempts'][number];

/** `refused`: it can not be made, now or later. Scenarios alone let a call be `dropped` or `postponed`. */
export type Verdict = 'delivered' | 'failed' | 'refused' | 'dropped' | 'postponed';

export interface Outcome {
  verdict: Verdict;
  /** What was tried; more than once where a scenario wants it. */
  attempts: readonly Omit<Attempt, 'time'>[];
  /** What it waits for when it is postponed: a time, in milliseconds on the clock of the environment, or others. */
  until?: { time?: number; hold?: number };
}

/** What it takes to make a call. */
export interface Means {
  keys: Keys;
  /** What the service promises to send. */
  contract: Contract;
  allowed: Allowed;
  /** Who calls, for the receiver. */
  userAgent: string;
  /** Told of what is a failure of ours. */
  report: (message: string, cause: unknown) => void;
  /** The process stops, or the rows that it is about are put back. */
  stopping: AbortSignal;
}

/** One kind of calls: what a row of theirs means. */
export interface Kind<R> {
  /** Those of one lane wait for each other. */
  laneOf(row: R, tables: Tables): Lane;
  /** Nobody outside of the process has a part in it. */
  isLocal(row: R, tables: Tables): boolean;
  /** Whatever goes wrong is an outcome. */
  attempt(row: R, environment: Environment, means: Means): Promise<Outcome>;
  /** The row once that has happened; its attempts are the last ones. */
  after(row: R, outcome: Outcome, now: number): R;
  /** What else follows from it, in the same unit of work. */
  follow?(world: World, row: R, outcome: Outcome): void;
}

/** It was not made, and never will be. */
export const refused = (error: string): Outcome => ({
  verdict: 'refused',
  attempts: [{ duration_ms: 0, error }],
});
