import type { RowChange } from '../world/row-change.ts';
import type { Collection, Rows } from '../world/schema.ts';
import type { Tables } from '../world/world.ts';

/** Whose rows stand for a call that an environment has to make. */
export type ErrandCollection = 'outgoing_calls' | 'webhook_deliveries';

/** A call to be made. */
export interface Errand {
  readonly collection: ErrandCollection;
  readonly id: string;
}

interface Waiting<R> {
  /** Statuses under which calls wait. */
  statuses: readonly string[];
  /** Whether it is to be made now. */
  isDue: (row: R) => boolean;
}

const WAITING: { readonly [C in ErrandCollection]: Waiting<Rows[C]> } = {
  outgoing_calls: { statuses: ['PENDING'], isDue: ({ status }) => status === 'PENDING' },
  webhook_deliveries: {
    statuses: ['RETRYING', 'QUEUED'],
    isDue: ({ status, next_attempt_at }) =>
      next_attempt_at === undefined && (status === 'QUEUED' || status === 'RETRYING'),
  },
};

const NONE: readonly Errand[] = [];

/** Those that the changes made due. Every commit is asked: most have none. */
export function errandsIn(changes: readonly RowChange[]): readonly Errand[] {
  let errands: Errand[] | undefined;
  for (const { collection, id, after } of changes)
    if (after && isErrand(collection) && isDue(collection, after)) (errands ??= []).push({ collection, id });
  return errands ?? NONE;
}

/** All that are due, found by their status. */
export const errandsOf = (tables: Tables): Errand[] =>
  (Object.keys(WAITING) as ErrandCollection[]).flatMap((collection) =>
    WAITING[collection].statuses
      .flatMap((status) => tables[collection].list('status', status) as { id: string }[])
      .filter((row) => isDue(collection, row))
      .map(({ id }) => ({ collection, id })),
  );

export const isDue = (collection: ErrandCollection, row: object): boolean =>
  (WAITING[collection] as Waiting<object>).isDue(row);

const isErrand = (collection: Collection): collection is ErrandCollection => collection in WAITING;
