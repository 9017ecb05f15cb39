import { logAbandonedSignIn } from './abandoned-sign-in.ts';
import { callBackChannelLogout } from '../webhooks/back-channel-logout.ts';
import { COLLECTIONS_WITH_EVENTS, recordCausedEvents } from '../webhooks/events/follow.ts';
import type { RowChange, Env } from './env.ts';
import type { Collection } from './rows/schema.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** What a row's change causes besides events. */
const CONSEQUENCES: { readonly [C in Collection]?: (env: Env, change: RowChange) => void } = {
  sessions: callBackChannelLogout,
  login_transactions: logAbandonedSignIn,
};

/** Runs within the unit of work. `isSetUp`: the rows are set up, so no events are recorded. */
export function applyConsequences(env: Env, work: UnitOfWork, isSetUp: boolean): void {
  if (!work.touches(COLLECTIONS_WITH_EVENTS)) return;
  const changes = work.changes();
  for (const change of changes) CONSEQUENCES[change.collection]?.(env, change);
  if (!isSetUp) recordCausedEvents(env, changes);
}
