import { CAUSING, recordCaused } from '../events/follow.ts';
import { logAbandonedSignIn } from '../world/abandoned-sign-in.ts';
import { tellOfEndedSession } from '../world/back-channel-logout.ts';
import type { RowChange } from '../world/row-change.ts';
import type { Collection } from '../world/schema.ts';
import type { World } from '../world/world.ts';
import type { Work } from './work.ts';

/** What is done about a change of a row, besides telling events. */
const FOLLOWERS: { readonly [C in Collection]?: (world: World, change: RowChange) => void } = {
  sessions: tellOfEndedSession,
  login_transactions: logAbandonedSignIn,
};

/** What the changes of a unit cause, as part of it. `isSetUp`: nothing has happened that events would tell of. */
export function followChanges(world: World, work: Work, isSetUp: boolean): void {
  if (!work.touches(CAUSING)) return;
  const changes = work.changes();
  for (const change of changes) FOLLOWERS[change.collection]?.(world, change);
  if (!isSetUp) recordCaused(world, changes);
}
