import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { withEnvironmentName } from '../environment-prefix.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import type { Transaction } from './transaction.ts';

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
    last_active_at: env.clock.iso(),
    updated_at: env.clock.iso(),
    ...sessionEnds(env, session.created_at, organization_id),
    ...(organization_id && { organization_id }),
  });
}

/** The user's existing session in this browser. */
function sessionOfUser(env: Env, { user_id }: SignedIn, browser: BrowserCookies): Session | undefined {
  const known = currentSession(env, browser);
  return known?.user_id === user_id ? known : undefined;
}

/** The connections that vouched for the user in this browser, including the one of this sign-in. */
export function provingConnections(env: Env, transaction: SignedIn, browser: BrowserCookies): string[] {
  const known = sessionOfUser(env, transaction, browser);
  return added(known?.connection_ids ?? [], transaction.identity?.connection_id);
}

const added = (list: readonly string[], each: string | undefined): string[] =>
  each === undefined ? [...list] : [...new Set([...list, each])];

function newSession(env: Env, { user_id, organization_id, device }: SignedIn): Session {
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
export function sessionEnds(env: Env, created_at: string, organizationId: string | undefined): SessionEnds {
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
