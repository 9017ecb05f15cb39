import { rowNamed } from '../contract/cause.ts';
import type { Input } from '../contract/types.ts';
import type { Env, Rows } from '../state/env.ts';
import { page } from '../rows/page.ts';
import { failedPrecondition, invalidArgument } from '../contract/errors.ts';
import type { Operations } from './handler.ts';
import { isBetweenTimes, listing, refuseOtherUsers } from './lists.ts';
import { revoke } from './session-end.ts';
import { shortened } from '@understudy/text/suggestion';

type Session = Rows['sessions'];
type Filter = Input<'SessionService_GetUserSessions'>['query'];

const STATUSES = ['active', 'expired', 'revoked', 'logout'];

export const sessions = {
  SessionService_GetSession({ path }, env) {
    return viewSession(env.sessions.get(path.session_id));
  },

  SessionService_RevokeSession({ path }, env) {
    const session = env.sessions.get(path.session_id);
    refuseOtherUsers(env, session.user_id);
    if (session.status === 'active') return { revoked_session: viewRevoked(revoke(env, session)) };
    // Unverified (sessions/revoke-ended-session): the docs say that only active sessions can be revoked, but do not
    // give the error.
    throw failedPrecondition(
      `session ${session.id} is ${session.status}: only active sessions can be revoked`,
      { rows: [rowNamed('sessions', session)], needs: { status: 'active' } },
    ).decidedBy('sessions/revoke-ended-session');
  },

  SessionService_GetUserSessions({ path, query }, env) {
    refuseOtherUsers(env, path.user_id);
    const user = env.users.get(path.user_id);
    const where = filterOf(query);
    const { rows, ...rest } = page(env.sessions, {
      ...listing(query, env),
      by: ['user_id', user.id],
      where,
    });
    return { ...rest, sessions: rows.map(viewSession) };
  },

  SessionService_RevokeAllUserSessions({ path }, env) {
    const user = env.users.get(path.user_id);
    const active = env.sessions.list('user_id', user.id).filter(({ status }) => status === 'active');
    const revoked_sessions = active.map((session) => viewRevoked(revoke(env, session)));
    return { revoked_sessions, total_revoked: revoked_sessions.length };
  },
} satisfies Partial<Operations>;

/** Filters by status and by start time, inclusive; undefined: every session matches. */
function filterOf(query: Filter): ((session: Session) => boolean) | undefined {
  const statuses = (query['filter.status'] ?? []).map((status) => status.toLowerCase());
  // Unverified (sessions/unknown-status-in-filter): an unknown status is rejected, as in the list of authentication
  // requests.
  const unknown = statuses.find((status) => !STATUSES.includes(status));
  if (unknown !== undefined)
    throw invalidArgument(
      `filter.status ${shortened(unknown)} is not one of ${STATUSES.join(', ')}`,
    ).decidedBy('sessions/unknown-status-in-filter');
  const { 'filter.start_time': start, 'filter.end_time': end } = query;
  if (start && end && Date.parse(start) >= Date.parse(end))
    throw invalidArgument('filter.end_time must be after filter.start_time');
  const isStarted = isBetweenTimes(start, end);
  if (statuses.length === 0 && !start && !end) return undefined;
  return ({ status, created_at }) =>
    (statuses.length === 0 || statuses.includes(status)) && isStarted(created_at);
}

type Device = NonNullable<Session['device']>;

function viewSession(session: Session) {
  const { id, client_ids, device, organization_id = '', ...shown } = withoutProof(session);
  return {
    ...shown,
    session_id: id,
    organization_id,
    authenticated_clients: client_ids.map((client_id) => ({ client_id, organization_id })),
    ...(device && { device: viewDevice(device) }),
  };
}

function viewRevoked(session: Session) {
  const { id, client_ids: _, device: __, ...rest } = withoutProof(session);
  const { organization_id: ___, authenticated_organizations: ____, expired_at, ...shown } = rest;
  return { ...shown, session_id: id, expired_at: expired_at ?? session.updated_at };
}

/** Removes the browser's cookie and the proofs of identity. */
const withoutProof = ({
  cookie: _,
  connection_ids: __,
  issuer: ___,
  authenticated_at: ____,
  ...session
}: Session) => session;

const TEXTS = {
  user_agent: '',
  os: '',
  os_version: '',
  browser: '',
  browser_version: '',
  device_type: '',
  ip: '',
};
const PLACE = { region: '', region_subdivision: '', city: '', latitude: '', longitude: '' };

function viewDevice({ location, ...device }: Device) {
  return { ...TEXTS, ...device, ...(location && { location: { ...PLACE, ...location } }) };
}

/** Marks the session as used: its idle time starts again, with the same length as before. */
export function useSession(env: Env, id: string): Rows['sessions'] {
  const { last_active_at, idle_expires_at, absolute_expires_at } = env.sessions.get(id);
  const idle = Date.parse(idle_expires_at) - Date.parse(last_active_at);
  const end = Date.parse(env.clock.after(idle));
  const now = env.clock.iso();
  return env.sessions.update(id, {
    last_active_at: now,
    updated_at: now,
    idle_expires_at: end < Date.parse(absolute_expires_at) ? env.clock.after(idle) : absolute_expires_at,
  });
}
