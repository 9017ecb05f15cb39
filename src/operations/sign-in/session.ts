import type { Env, Rows } from '../../state/env.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import type { BrowserCookies } from '../hosted/browser.ts';
import {
  askInterceptors,
  connectionDetails,
  mergeCustomClaims,
  membershipData,
  userName,
  userTimes,
  userData,
  deviceData,
} from '../interceptors/ask.ts';
import { provingConnection } from './proving-connection.ts';
import { noteStep, type Transaction } from './transaction.ts';

type Session = Rows['sessions'];
type SignedIn = Transaction & { user_id: string };

/** The browser's session, if it is still valid. */
export function currentSession(env: Env, { understudy_session }: BrowserCookies): Session | undefined {
  const session = understudy_session ? env.sessions.findBy('cookie', understudy_session) : undefined;
  return session?.status === 'active' ? session : undefined;
}

/** Creates or continues the user's session in this browser and adds the application and the organization. */
export function enterSession(env: Env, transaction: SignedIn, browser: BrowserCookies): Session {
  const known = sessionOfUser(env, transaction, browser);
  const session = known ?? env.sessions.insert(newSession(env, transaction));
  const { client_id, organization_id } = transaction;
  return env.sessions.update(session.id, {
    client_ids: added(session.client_ids, client_id),
    authenticated_organizations: added(session.authenticated_organizations, organization_id),
    connection_ids: provingConnections(env, transaction, browser),
    ...samlNames(env, session, transaction),
    last_active_at: env.clock.iso(),
    updated_at: env.clock.iso(),
    ...sessionEnds(env, session.created_at, organization_id),
    ...(organization_id && { organization_id }),
    ...(transaction.session_id === undefined && { authenticated_at: env.clock.iso() }),
  });
}

/** How a SAML identity provider calls the user, for the day on which it signs the user out. */
function samlNames(env: Env, { saml_names = [] }: Session, { identity }: SignedIn) {
  const { connection_id = '', subject: name_id, session_index } = identity ?? {};
  if (name_id === undefined || env.connections.find(connection_id)?.type !== 'SAML') return {};
  const others = saml_names.filter((each) => each.connection_id !== connection_id);
  return { saml_names: [...others, { connection_id, name_id, ...(session_index && { session_index }) }] };
}

/** The user's existing session in this browser. */
function sessionOfUser(env: Env, { user_id }: SignedIn, browser: BrowserCookies): Session | undefined {
  const known = currentSession(env, browser);
  return known?.user_id === user_id ? known : undefined;
}

/** The connections that vouched for the user in this browser, including the one of this sign-in. */
export function provingConnections(env: Env, transaction: SignedIn, browser: BrowserCookies): string[] {
  const known = sessionOfUser(env, transaction, browser);
  return added(known?.connection_ids ?? [], provingConnection(env, transaction));
}

const added = (list: readonly string[], each: string | undefined): string[] =>
  each === undefined ? [...list] : [...new Set([...list, each])];

type SessionStart = Pick<SignedIn, 'user_id' | 'organization_id' | 'device'>;

/** A session of a browser, which has no application yet. */
export function newSession(
  env: Env,
  { user_id, organization_id, device }: SessionStart,
): Session & { cookie: string } {
  const now = env.clock.iso();
  return {
    id: env.draw.id('ses'),
    user_id,
    authenticated_organizations: [],
    created_at: now,
    updated_at: now,
    last_active_at: now,
    ...sessionEnds(env, now, organization_id),
    status: 'active',
    ...(device && { device }),
    client_ids: [],
    issuer: env.baseUrl,
    cookie: withEnvironmentName(env, env.draw.text(40)),
  };
}

const MINUTE = 60_000;

interface SessionEnds {
  idle_expires_at: string;
  absolute_expires_at: string;
}

/**
 * When a session ends: the earlier of the application's and the organization's limits. Idle time counts if
 * either limits it (Scalekit docs, Organization session policy).
 */
function sessionEnds(env: Env, created_at: string, organizationId: string | undefined): SessionEnds {
  const application = env.settings.get('settings');
  const policy = organizationId ? env.organizations.find(organizationId)?.session_policy : undefined;
  const { absolute_session_timeout } = application;
  const longest = Math.min(absolute_session_timeout, policy?.absolute_session_timeout ?? Infinity);
  const absolute = Date.parse(created_at) + longest * MINUTE;
  const idle = env.clock.ms + Math.min(idleMinutes(application), idleMinutes(policy)) * MINUTE;
  const absolute_expires_at = new Date(absolute).toISOString();
  return {
    absolute_expires_at,
    idle_expires_at: idle < absolute ? new Date(idle).toISOString() : absolute_expires_at,
  };
}

interface IdleLimit {
  idle_session_timeout_enabled: boolean;
  idle_session_timeout?: number;
}

const idleMinutes = (limit: IdleLimit | Rows['settings'] | undefined) =>
  limit?.idle_session_timeout_enabled ? (limit.idle_session_timeout ?? Infinity) : Infinity;

interface EndingSignIn {
  transaction: Transaction & { user_id: string };
  /** The connections through which the user proved their identity. */
  connection_ids: readonly string[];
}

/**
 * Asks interceptors whether the user may get tokens; returns the claims that they add. Throws
 * `InterceptorDenial`. They are asked at every sign-in that ends with a code, even if the session continues, because
 * each makes new tokens (Scalekit docs, Auth flow interceptors).
 */
export function consentToSession(env: Env, signedIn: EndingSignIn): Record<string, unknown> | undefined {
  if (signedIn.transaction.session_id === undefined) consentToUser(env, signedIn);
  const { claims } = askInterceptors(env, 'PRE_SESSION_CREATION', () => {
    noteStep(env, signedIn.transaction, 'Custom token claims interceptor triggered');
    return { context: contextOf(env, signedIn), data: { user: sessionUser(env, signedIn) } };
  });
  const custom = mergeCustomClaims(claims ?? {});
  return Object.keys(custom).length > 0 ? custom : undefined;
}

/**
 * Unverified (interceptors/user-authentication): the current docs no longer describe this trigger point. It is skipped
 * if a session continues.
 */
function consentToUser(env: Env, signedIn: EndingSignIn): void {
  askInterceptors(env, 'POST_USER_AUTHENTICATION', () => ({
    context: contextOf(env, signedIn),
    data: { user: authenticatedUser(env, signedIn) },
  }));
}

function contextOf(env: Env, { transaction, connection_ids }: EndingSignIn) {
  const { user_id, organization_id, device } = transaction;
  return {
    user_id,
    user_email: env.users.get(user_id).email,
    ...(organization_id && { organization_id }),
    connection_details: connectionDetails(env, connection_ids, transaction),
    ...deviceData(device),
  };
}

function sessionUser(env: Env, { transaction }: EndingSignIn) {
  const user = env.users.get(transaction.user_id);
  const { given_name: first_name, family_name: last_name } = user.user_profile;
  return {
    ...userData(user),
    name: userName(user),
    ...userTimes(user),
    ...(first_name && { first_name }),
    ...(last_name && { last_name }),
    memberships: membershipData(env, user),
  };
}

function authenticatedUser(env: Env, { transaction: { user_id, identity } }: EndingSignIn) {
  const user = env.users.get(user_id);
  return {
    ...userData(user),
    memberships: membershipData(env, user),
    custom_attributes: { ...user.user_profile.custom_attributes },
    raw_attributes: { ...identity?.attributes },
  };
}
