import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Activity } from './activity.ts';
import type { Clock } from './clock.ts';
import type { DurableLog } from './durable-log.ts';
import type { DueCall } from './due-calls.ts';
import type { Env, Tables } from './env.ts';
import type { Committed, TransactionOptions } from './unit-of-work.ts';

/** The parts of an environment that its outgoing calls need. */
export interface CallingEnvironment {
  readonly name: string;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly scenarios: LoadedScenarios;
  readonly tables: Tables;
  readonly log: Pick<DurableLog, 'kept'>;
  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T>;
}

/** Makes the calls of environments. */
export interface CallDispatcher {
  /** Makes due calls after the current event loop turn. */
  dispatch(environment: CallingEnvironment, calls: readonly DueCall[]): void;
  /** Like `dispatch` for all calls that are due in the environment, for example after a restart. */
  resume(environment: CallingEnvironment): void;
  /** Resolves once all due calls that stay inside this process are made. */
  settled(environment: CallingEnvironment): Promise<void>;
}
