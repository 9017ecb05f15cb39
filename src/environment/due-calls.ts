import type { RowChange, Tables } from './env.ts';
import type { Collection, Rows } from './rows/schema.ts';

/** Whose rows stand for a call that an environment has to make. */
export type CallCollection = 'outgoing_calls' | 'webhook_deliveries';

/** A call to be made. */
export interface DueCall {
  readonly collection: CallCollection;
  readonly id: string;
}

interface DueRule<R> {
  /** Statuses under which calls wait. */
  statuses: readonly string[];
  /** Whether it is to be made now. */
  isDue: (row: R) => boolean;
}

const WAITING: { readonly [C in CallCollection]: DueRule<Rows[C]> } = {
  outgoing_calls: { statuses: ['PENDING'], isDue: ({ status }) => status === 'PENDING' },
  webhook_deliveries: {
    statuses: ['RETRYING', 'QUEUED'],
    isDue: ({ status, next_attempt_at }) =>
      next_attempt_at === undefined && (status === 'QUEUED' || status === 'RETRYING'),
  },
};

const NONE: readonly DueCall[] = [];

/** Those that the changes made due. Every commit is asked: most have none. */
export function dueCallsIn(changes: readonly RowChange[]): readonly DueCall[] {
  let calls: DueCall[] | undefined;
  for (const { collection, id, after } of changes)
    if (after && isCallCollection(collection) && isDue(collection, after))
      (calls ??= []).push({ collection, id });
  return calls ?? NONE;
}

/** All that are due, found by their status. */
export const dueCallsOf = (tables: Tables): DueCall[] =>
  (Object.keys(WAITING) as CallCollection[]).flatMap((collection) =>
    WAITING[collection].statuses
      .flatMap((status) => tables[collection].list('status', status) as { id: string }[])
      .filter((row) => isDue(collection, row))
      .map(({ id }) => ({ collection, id })),
  );

export const isDue = (collection: CallCollection, row: object): boolean =>
  (WAITING[collection] as DueRule<object>).isDue(row);

const isCallCollection = (collection: Collection): collection is CallCollection => collection in WAITING;
