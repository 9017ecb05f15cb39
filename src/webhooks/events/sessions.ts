import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { NewEvent, EventReferences } from '../event-record.ts';
import type { ChangeOf, UnitChanges } from './unit.ts';
import { userData } from './users.ts';

type Session = Rows['sessions'];
type SessionData = EventData<'user.login'>['user_session'];

/**
 * Unverified: a session that expires or is deleted with its user causes no logout event. The event shows the session
 * before it ended, still active, as the service's sample does.
 */
export function sessionEvents({ before, after }: ChangeOf<'sessions'>, unit: UnitChanges): NewEvent[] {
  if (!after) return [];
  const wasActive = before?.status === 'active';
  if (after.status === 'active') return wasActive ? [] : login(after, unit);
  const isEnded = after.status === 'logout' || after.status === 'revoked';
  return wasActive && isEnded ? sessionEvent('user.logout', before, unit) : [];
}

/**
 * A user who authenticates again within a session logs in again. Unverified: going on with a session at another
 * application or organization is no login.
 */
export function signInEvents(
  { before, after }: ChangeOf<'login_transactions'>,
  unit: UnitChanges,
): NewEvent[] {
  if (before?.status === 'COMPLETED' || after?.status !== 'COMPLETED') return [];
  if (after.session_id !== undefined) return [];
  const code = unit.changed('authorization_codes').find(({ before: known }) => !known)?.after;
  const session = unit.find('sessions', code?.session_id);
  return session && !unit.created('sessions', session.id) ? login(session, unit) : [];
}

const login = (session: Session, unit: UnitChanges) =>
  sessionEvent('user.login', session, unit).map((happening) => ({ ...happening, ...signInOf(unit) }));

function sessionEvent(type: 'user.login' | 'user.logout', session: Session, unit: UnitChanges): NewEvent[] {
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
    // Unverified: upper case, as in the vendor's webhook samples; the API uses lower case.
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

/** The references to the sign-in that this unit of work completes. */
export function signInOf(unit: UnitChanges): Pick<EventReferences, 'auth_request_id' | 'connection_id'> {
  const log = unit.changed('auth_logs').find(({ after }) => after?.status === 'SUCCESS')?.after;
  if (!log) return {};
  return { auth_request_id: log.id, ...(log.connection_id && { connection_id: log.connection_id }) };
}
