import type { Contract } from '../contract/contract.ts';
import type { Environment } from '../environments/environment.ts';
import type { Keys } from '../world/keys.ts';
import type { Rows } from '../world/schema.ts';
import type { Tables } from '../world/world.ts';
import type { Allowed } from './allowed.ts';
import type { Lane } from './lanes.ts';

/** What becomes part of the row: how an attempt went. */
export type Attempt = Rows['webhook_deliveries']['attempts'][number];

/** `refused`: it can not be made, now or later. */
export type Verdict = 'delivered' | 'failed' | 'refused';

export interface Outcome {
  verdict: Verdict;
  attempt: Omit<Attempt, 'time'>;
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
  /** The process stops. */
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
  /** The row once that has happened; its attempt is the last one. */
  after(row: R, verdict: Verdict, now: number): R;
}

/** It was not made, and never will be. */
export const refused = (error: string): Outcome => ({
  verdict: 'refused',
  attempt: { duration_ms: 0, error },
});
