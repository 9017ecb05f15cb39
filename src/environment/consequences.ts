import { callBackChannelLogout } from '../webhooks/back-channel-logout.ts';
import { COLLECTIONS_WITH_EVENTS, recordCausedEvents } from '../webhooks/events/follow.ts';
import type { RowChange, Env } from '../state/env.ts';
import type { Collection, Rows } from '../state/schema.ts';
import type { UnitOfWork } from '../state/unit-of-work.ts';

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

type Transaction = Rows['login_transactions'];

/** The id of the sign-in without the environment's name. */
export const authLogOf = ({ id }: Transaction): string => id.slice(id.lastIndexOf('.') + 1);

/** Unverified: the service may leave the log of an abandoned sign-in as it was. */
function logAbandonedSignIn(env: Env, { before, after }: RowChange): void {
  const transaction = after as Transaction | undefined;
  if ((before as Transaction | undefined)?.status !== 'PENDING' || transaction?.status !== 'EXPIRED') return;
  const log = env.auth_logs.find(authLogOf(transaction));
  if (log) env.auth_logs.update(log.id, { status: 'FAILED' });
}
