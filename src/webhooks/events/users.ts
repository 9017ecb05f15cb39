import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../state/env.ts';
import { fullName } from '@understudy/text/words';
import { organizationData } from './organizations.ts';
import type { NewEvent, EventReferences, ChangeOf, UnitChanges } from './event.ts';

/** The user in event data (shape: the webhooks section of the vendor's OpenAPI document). */
function userData(user: Rows['users']): EventData<'user.login'>['user'] {
  const { id, email, external_id = null, metadata, create_time, update_time, last_login_time } = user;
  return {
    id,
    email,
    external_id,
    metadata: filledOrNull(metadata),
    create_time,
    update_time,
    ...(last_login_time && { last_login_time }),
    user_profile: profileData(user.user_profile),
  };
}

function profileData({
  groups,
  metadata,
  custom_attributes,
  ...profile
}: Rows['users']['user_profile']): EventData<'user.login'>['user']['user_profile'] {
  return {
    given_name: '',
    family_name: '',
    email_verified: false,
    phone_number: '',
    phone_number_verified: false,
    picture: '',
    gender: '',
    locale: '',
    preferred_username: '',
    ...profile,
    name: fullName(profile),
    groups: groups?.length ? groups : null,
    metadata: filledOrNull(metadata),
    custom_attributes: filledOrNull(custom_attributes),
    // Unverified (events/external-identities): the service lists one item for each connection that the user has signed
    // in with.
    external_identities: [],
  };
}

const filledOrNull = (map: Record<string, string> | undefined) =>
  map && Object.keys(map).length > 0 ? map : null;

type Membership = Rows['memberships'];

/**
 * Unverified (events/invited-and-deleted-users): an invited user becomes a member only when they accept. Deleting a
 * user sends organization_membership_deleted for each membership, since users have no deletion event.
 */
export function membershipEvents({ before, after }: ChangeOf<'memberships'>, unit: UnitChanges): NewEvent[] {
  const { organization_id, user_id } = (after ?? before)!;
  if (unit.removed('organizations', organization_id)) return [];
  const organization = unit.find('organizations', organization_id);
  const user = unit.find('users', user_id);
  if (!organization || !user) return [];
  if (unit.removed('users', user_id)) unit.env.decidedBy('events/invited-and-deleted-users');
  const data = { organization: organizationData(organization), user: userData(user) };
  return typesOf(before, after, unit).map((type) => ({ type, organization_id, data, ...signInOf(unit) }));
}

function typesOf(before: Membership | undefined, after: Membership | undefined, unit: UnitChanges) {
  if (!after) return ['user.organization_membership_deleted'] as const;
  if (isInvitation(before, after)) return ['user.organization_invitation'] as const;
  // The event about the user goes before the event about the membership.
  if (isSignUp(before, after, unit)) return ['user.signup', 'user.organization_membership_created'] as const;
  if (!before || isAcceptance(before, after)) return ['user.organization_membership_created'] as const;
  // Unverified (events/expired-invitation): an invitation that expires is an update, because its status in the API
  // changes.
  if (isDeepStrictEqual(apiView(before), apiView(after))) return [];
  return ['user.organization_membership_updated'] as const;
}

/** The invitation was created or sent again. */
function isInvitation(before: Membership | undefined, after: Membership): boolean {
  if (after.membership_status !== 'PENDING_INVITE') return false;
  return before?.membership_status !== 'PENDING_INVITE' || before.resent_count !== after.resent_count;
}

const isAcceptance = (before: Membership, after: Membership) =>
  after.membership_status === 'ACTIVE' &&
  (before.membership_status === 'PENDING_INVITE' || before.membership_status === 'INVITE_EXPIRED');

/**
 * Unverified (events/sign-up-of-known-user): an existing user who creates an organization on the sign-up page has
 * signed up, too.
 */
function isSignUp(before: Membership | undefined, after: Membership, unit: UnitChanges): boolean {
  if (before || after.provisioning_method !== 'org_creator') return false;
  if (!unit.created('organizations', after.organization_id)) return false;
  if (!unit.created('users', after.user_id)) unit.env.decidedBy('events/sign-up-of-known-user');
  return true;
}

const apiView = ({ invitation_token: _, proved_connection_ids: __, ...membership }: Membership) => membership;

type Session = Rows['sessions'];
type SessionData = EventData<'user.login'>['user_session'];

/**
 * Unverified (events/ended-sessions): a session that expires or is deleted with its user causes no logout event. The
 * event shows the session before it ended, still active, as the service's sample does.
 */
export function sessionEvents({ before, after }: ChangeOf<'sessions'>, unit: UnitChanges): NewEvent[] {
  if (!after) {
    unit.env.decidedBy('events/ended-sessions');
    return [];
  }
  const wasActive = before?.status === 'active';
  if (after.status === 'active') return wasActive ? [] : login(after, unit);
  const isEnded = after.status === 'logout' || after.status === 'revoked';
  return wasActive && isEnded ? sessionEvent('user.logout', before, unit) : [];
}

/**
 * A user who authenticates again within a session logs in again. Unverified (events/continued-session): going on with a
 * session at another application or organization is no login.
 */
export function signInEvents(
  { before, after }: ChangeOf<'login_transactions'>,
  unit: UnitChanges,
): NewEvent[] {
  if (before?.status === 'COMPLETED' || after?.status !== 'COMPLETED') return [];
  if (after.session_id !== undefined) {
    unit.env.decidedBy('events/continued-session');
    return [];
  }
  const code = unit.changed('authorization_codes').find(({ before: known }) => !known)?.after;
  const session = unit.find('sessions', code?.session_id);
  return session && !unit.created('sessions', session.id) ? login(session, unit) : [];
}

const login = (session: Session, unit: UnitChanges) =>
  sessionEvent('user.login', session, unit).map((event) => ({ ...event, ...signInOf(unit) }));

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
    // Unverified (events/status-of-sessions): upper case, as in the vendor's webhook samples; the API uses lower case.
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
function signInOf(unit: UnitChanges): Pick<EventReferences, 'auth_request_id' | 'connection_id'> {
  const log = unit.changed('auth_logs').find(({ after }) => after?.status === 'SUCCESS')?.after;
  if (!log) return {};
  return { auth_request_id: log.id, ...(log.connection_id && { connection_id: log.connection_id }) };
}
