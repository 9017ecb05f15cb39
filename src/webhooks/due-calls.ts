import type { RowChange, Tables, Env } from '../state/env.ts';
import type { Collection, Rows } from '../state/schema.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Activity } from '../journal/activity.ts';
import type { Clock } from '../state/clock.ts';
import type { Committed, TransactionOptions } from '../state/units-of-work.ts';

/** Collections whose rows are calls that the environment has to make. */
export type CallCollection = 'outgoing_calls' | 'webhook_deliveries';

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
  readonly log: { kept(): Promise<void> | undefined };
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
