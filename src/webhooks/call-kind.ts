import type { Contract } from '../contract/contract.ts';
import type { Tables, Env } from '../state/env.ts';
import type { CallingEnvironment } from './due-calls.ts';
import type { Keys } from '../state/keys.ts';
import type { Rows } from '../state/schema.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AllowedHosts } from './allowed-hosts.ts';

/** One attempt, as the row keeps it. */
export type CallAttempt = Rows['webhook_deliveries']['attempts'][number];

/** `refused`: the call can never be made. Only scenarios cause `dropped` and `postponed`. */
export type AttemptResult = 'delivered' | 'failed' | 'refused' | 'dropped' | 'postponed';

export interface CallOutcome {
  result: AttemptResult;
  /** More than one if a scenario duplicates the call. */
  attempts: readonly Omit<CallAttempt, 'time'>[];
  /**
   * For postponed calls: `time` in milliseconds on the environment's clock, or `hold`, the number of other calls to
   * wait for.
   */
  until?: { time?: number; hold?: number };
}

export interface CallContext {
  keys: Keys;
  contract: Contract;
  allowed: AllowedHosts;
  /** The user-agent header. */
  userAgent: string;
  /** Reports a bug of ours. */
  report: (message: string, cause: unknown) => void;
  metrics: Metrics;
  /** Aborts when the process stops or the environment is reset. */
  stopping: AbortSignal;
}

export interface QueueOptions {
  name: string;
  /** Tasks that run at once. */
  atOnce: number;
}

/** What the dispatcher needs to know about one collection of outgoing calls. */
export interface CallKind<R> {
  /** In metrics. */
  name: string;
  /** Calls of one queue run in order. */
  queueOf(row: R, tables: Tables): QueueOptions;
  /** Whether the call stays inside this process. */
  isLocal(row: R, tables: Tables): boolean;
  /** Never throws: a failure is an outcome. */
  attempt(row: R, environment: CallingEnvironment, context: CallContext): Promise<CallOutcome>;
  /** The row after the attempt, which is already in its `attempts`. */
  rowAfter(row: R, outcome: CallOutcome, env: Env): R;
  /** Other changes in the same unit of work. */
  recordConsequences?(env: Env, row: R, outcome: CallOutcome): void;
}

export const refused = (error: string): CallOutcome => ({
  result: 'refused',
  attempts: [{ duration_ms: 0, error }],
});
