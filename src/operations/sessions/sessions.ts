import { failedPrecondition, invalidArgument } from '../../errors.ts';
import type { Input } from '../../contract/types.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { refuseStranger } from '../own-rows.ts';
import { pageSize } from '../page-size.ts';
import { between } from '../time-range.ts';
import { viewRevoked, viewSession } from './session-view.ts';

type Session = Rows['sessions'];
type Filter = Input<'SessionService_GetUserSessions'>['query'];

const STATUSES = ['active', 'expired', 'revoked', 'logout'];

export const sessions = {
  SessionService_GetSession({ path }, world) {
    return viewSession(world.sessions.get(path.session_id));
  },

  SessionService_RevokeSession({ path }, world) {
    const session = world.sessions.get(path.session_id);
    refuseStranger(world, session.user_id);
    if (session.status === 'active') return { revoked_session: viewRevoked(revoke(world, session)) };
    // Unverified: the service says that only active sessions can be revoked, not how it refuses the others.
    throw failedPrecondition(
      `session ${session.id} is ${session.status}: only active sessions can be revoked`,
    );
  },

  SessionService_GetUserSessions({ path, query }, world) {
    refuseStranger(world, path.user_id);
    const user = world.users.get(path.user_id);
    const where = filterOf(query);
    const { rows, ...rest } = page(world.sessions, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: ['user_id', user.id],
      where,
    });
    return { ...rest, sessions: rows.map(viewSession) };
  },

  SessionService_RevokeAllUserSessions({ path }, world) {
    const user = world.users.get(path.user_id);
    const active = world.sessions.list('user_id', user.id).filter(({ status }) => status === 'active');
    const revoked_sessions = active.map((session) => viewRevoked(revoke(world, session)));
    return { revoked_sessions, total_revoked: revoked_sessions.length };
  },
} satisfies Partial<Operations>;

function revoke(world: World, { id }: Session): Session {
  const now = world.clock.iso();
  return world.sessions.update(id, { status: 'revoked', expired_at: now, updated_at: now });
}

/** Statuses are one or the other, and begin between the times, both included; undefined: all sessions pass. */
function filterOf(query: Filter): ((session: Session) => boolean) | undefined {
  const statuses = (query['filter.status'] ?? []).map((status) => status.toLowerCase());
  // Unverified: an unknown status is refused, as in the list of authentication requests.
  const unknown = statuses.find((status) => !STATUSES.includes(status));
  if (unknown !== undefined)
    throw invalidArgument(`filter.status ${unknown} is not one of ${STATUSES.join(', ')}`);
  const { 'filter.start_time': start, 'filter.end_time': end } = query;
  if (start && end && Date.parse(start) >= Date.parse(end))
    throw invalidArgument('filter.end_time must be after filter.start_time');
  const began = between(start, end);
  if (statuses.length === 0 && !start && !end) return undefined;
  return ({ status, created_at }) =>
    (statuses.length === 0 || statuses.includes(status)) && began(created_at);
}
