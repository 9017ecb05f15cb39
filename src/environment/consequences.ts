import { logAbandonedSignIn } from './abandoned-sign-in.ts';
import { callBackChannelLogout } from '../webhooks/back-channel-logout.ts';
import { COLLECTIONS_WITH_EVENTS, recordCausedEvents } from '../webhooks/events/follow.ts';
import type { RowChange, Env } from './env.ts';
import type { Collection } from './rows/schema.ts';
import type { Work } from './unit-of-work.ts';

/** What is done about a change of a row, besides telling events. */
const FOLLOWERS: { readonly [C in Collection]?: (env: Env, change: RowChange) => void } = {
  sessions: callBackChannelLogout,
  login_transactions: logAbandonedSignIn,
};

/** What the changes of a unit cause, as part of it. `isSetUp`: nothing has happened that events would tell of. */
export function followChanges(env: Env, work: Work, isSetUp: boolean): void {
  if (!work.touches(COLLECTIONS_WITH_EVENTS)) return;
  const changes = work.changes();
  for (const change of changes) FOLLOWERS[change.collection]?.(env, change);
  if (!isSetUp) recordCausedEvents(env, changes);
}
