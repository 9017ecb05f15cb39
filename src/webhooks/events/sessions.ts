import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Happening, Traces } from '../event-record.ts';
import type { ChangeOf, Unit } from './unit.ts';
import { userData } from './users.ts';

type Session = Rows['sessions'];
type SessionData = EventData<'user.login'>['user_session'];

/**
 * Unverified: somebody ends a session by logging out or by revoking it. One that time ends, or that goes with its user, is
 * no logout. The session is told as it was, still active, as in the service's own sample.
 */
export function sessionEvents({ before, after }: ChangeOf<'sessions'>, unit: Unit): Happening[] {
  if (!after) return [];
  const wasActive = before?.status === 'active';
  if (after.status === 'active') return wasActive ? [] : login(after, unit);
  const isEnded = after.status === 'logout' || after.status === 'revoked';
  return wasActive && isEnded ? told('user.logout', before, unit) : [];
}

/**
 * Who proves again who they are in a session that they have, has logged in again. Unverified: who only goes on with it, at
 * another application or in another organization, has not.
 */
export function signInEvents({ before, after }: ChangeOf<'login_transactions'>, unit: Unit): Happening[] {
  if (before?.status === 'COMPLETED' || after?.status !== 'COMPLETED') return [];
  if (after.session_id !== undefined) return [];
  const code = unit.changed('authorization_codes').find(({ before: known }) => !known)?.after;
  const session = unit.find('sessions', code?.session_id);
  return session && !unit.made('sessions', session.id) ? login(session, unit) : [];
}

const login = (session: Session, unit: Unit) =>
  told('user.login', session, unit).map((happening) => ({ ...happening, ...signInOf(unit) }));

function told(type: 'user.login' | 'user.logout', session: Session, unit: Unit): Happening[] {
  const { organization_id } = session;
  const user = unit.find('users', session.user_id);
  if (!user) return [];
  const data = { user: userData(user), user_session: sessionData(session) };
  return [{ type, data, ...(organization_id && { organization_id }) }];
}

function sessionData(session: Session): SessionData {
  const { id, status, organization_id = '', expired_at = null, logout_at = null, device } = session;
  const { user_id, authenticated_organizations, created_at, updated_at } = session;
  const { last_active_at, idle_expires_at, absolute_expires_at } = session;
  return {
    session_id: id,
    user_id,
    organization_id,
    // Unverified: upper case here, as in the service's samples of webhooks, though its API answers lower case.
    status: status.toUpperCase() as SessionData['status'],
    authenticated_organizations,
    created_at,
    updated_at,
    last_active_at,
    idle_expires_at,
    absolute_expires_at,
    expired_at,
    logout_at,
    device: deviceData(device),
  };
}

function deviceData({
  device_type = '',
  location,
  ...device
}: Session['device'] = {}): SessionData['device'] {
  return {
    browser: '',
    browser_version: '',
    os: '',
    os_version: '',
    ip: '',
    user_agent: '',
    ...device,
    device_type: device_type.replace(/^[a-z]/, (first) => first.toUpperCase()),
    location: { city: '', region: '', region_subdivision: '', latitude: '', longitude: '', ...location },
  };
}

/** The sign-in that this unit has brought to its end, as far as there is one: what else happens in it can be found by it. */
export function signInOf(unit: Unit): Pick<Traces, 'auth_request_id' | 'connection_id'> {
  const log = unit.changed('auth_logs').find(({ after }) => after?.status === 'SUCCESS')?.after;
  if (!log) return {};
  return { auth_request_id: log.id, ...(log.connection_id && { connection_id: log.connection_id }) };
}
