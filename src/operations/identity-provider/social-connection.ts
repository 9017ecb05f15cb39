import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { scopeOf } from '../../environment/tables/connections.ts';
import { withQuery } from '../answer.ts';
import { connectionsServing } from '../connections/connection-lookup.ts';
import type { Transaction } from '../sign-in/transaction.ts';

type Connection = Rows['connections'];

/** The social providers, by the names that applications ask for them with (reference: login-and-tokens 4.1). */
export const SOCIAL_PROVIDERS = {
  google: { provider: 'GOOGLE', name: 'Google' },
  microsoft: { provider: 'MICROSOFT', name: 'Microsoft' },
  github: { provider: 'GITHUB', name: 'GitHub' },
  gitlab: { provider: 'GITLAB', name: 'GitLab' },
  linkedin: { provider: 'LINKEDIN', name: 'LinkedIn' },
  salesforce: { provider: 'SALESFORCE', name: 'Salesforce' },
} as const;

/**
 * The environment's connection to a social provider; undefined for a provider that nobody knows. The service has Google
 * ready in new environments, here all are: one that was never set up comes into being when it is first used.
 */
export function socialConnection(env: Env, name: string): Connection | undefined {
  const key = name.toLowerCase();
  const known = Object.entries(SOCIAL_PROVIDERS).find(([each]) => each === key)?.[1];
  if (!known) return undefined;
  const { provider } = known;
  return (
    env.connections.list('scope', 'login').find((each) => each.provider === provider) ??
    env.connections.insert(newConnection(env, known))
  );
}

type Known = (typeof SOCIAL_PROVIDERS)[keyof typeof SOCIAL_PROVIDERS];

function newConnection(env: Env, { provider, name }: Known): Connection {
  const now = env.clock.iso();
  return {
    id: env.draw.id('conn'),
    provider,
    provider_key: provider,
    type: 'OAUTH',
    status: 'COMPLETED',
    enabled: true,
    is_login: true,
    is_app: false,
    ui_button_title: `Continue with ${name}`,
    created_at: now,
    updated_at: now,
  };
}

/** Users prove who they are there without belonging to an organization. */
export const isSocial = (connection: Connection) =>
  connection.type === 'OAUTH' && scopeOf(connection) === 'login';

export type Protocol = 'oidc' | 'saml' | 'oauth';

/** The part of the addresses below /sso/v1 that a connection has; undefined for those that nobody signs in with. */
export function protocolOf({ type }: Pick<Connection, 'type'>): Protocol | undefined {
  if (type === 'OIDC') return 'oidc';
  if (type === 'SAML') return 'saml';
  return type === 'OAUTH' ? 'oauth' : undefined;
}

/** Where a browser begins to prove with the connection who its user is. It needs the cookie of its sign-in there. */
export function startAddress({ baseUrl }: Env, { id }: Transaction, connection: Connection): string {
  const start = `${baseUrl}/sso/v1/${protocolOf(connection) ?? 'oidc'}/${connection.id}/init`;
  return withQuery(start, { auth_request_id: id });
}

/** Users can sign in with it. */
export const isActive = ({ status, enabled }: Connection) => status === 'COMPLETED' && enabled;

/** The part after the last @, as domains are compared; undefined for what is no address. */
export function domainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  return at > 0 && at < email.length - 1 ? email.slice(at + 1).toLowerCase() : undefined;
}

/** Where the owner of the address has to sign in: with the connection that serves its domain, if there is one. */
export function connectionForEmail(env: Env, email: string): Connection | undefined {
  const domain = domainOf(email);
  return domain === undefined ? undefined : connectionsServing(env, domain).find(isActive);
}
