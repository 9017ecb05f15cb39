import type { Env, Rows } from '../../state/env.ts';
import { scopeOf } from '../../state/tables/connection-tables.ts';
import { withQuery } from '../handler.ts';
import { connectionsServing } from '../connections/connection-lookup.ts';
import type { Transaction } from '../sign-in/transaction.ts';

type Connection = Rows['connections'];

/** Social providers by their name in authorization requests (Scalekit docs, Social logins). */
export const SOCIAL_PROVIDERS = {
  google: { provider: 'GOOGLE', name: 'Google' },
  microsoft: { provider: 'MICROSOFT', name: 'Microsoft' },
  github: { provider: 'GITHUB', name: 'GitHub' },
  gitlab: { provider: 'GITLAB', name: 'GitLab' },
  linkedin: { provider: 'LINKEDIN', name: 'LinkedIn' },
  salesforce: { provider: 'SALESFORCE', name: 'Salesforce' },
} as const;

/**
 * The environment's connection to a social provider; undefined for an unknown provider. A missing connection
 * is created on first use. The service prepares only Google in new environments.
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

type SocialProvider = (typeof SOCIAL_PROVIDERS)[keyof typeof SOCIAL_PROVIDERS];

function newConnection(env: Env, { provider, name }: SocialProvider): Connection {
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

/** Social connections belong to no organization. */
export const isSocial = (connection: Connection) =>
  connection.type === 'OAUTH' && scopeOf(connection) === 'login';

export type Protocol = 'oidc' | 'saml' | 'oauth';

/** The protocol segment of addresses below /sso/v1; undefined for connections without sign-in. */
export function protocolOf({ type }: Pick<Connection, 'type'>): Protocol | undefined {
  if (type === 'OIDC') return 'oidc';
  if (type === 'SAML') return 'saml';
  return type === 'OAUTH' ? 'oauth' : undefined;
}

/** Where the browser begins to sign in with a connection. The page needs the cookie of the sign-in. */
export function startAddress({ baseUrl }: Env, { id }: Transaction, connection: Connection): string {
  const start = `${baseUrl}/sso/v1/${protocolOf(connection) ?? 'oidc'}/${connection.id}/init`;
  return withQuery(start, { auth_request_id: id });
}

export const isActive = ({ status, enabled }: Connection) => status === 'COMPLETED' && enabled;

/** The part after the last @ in lower case; undefined if the text is no address. */
export function domainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  return at > 0 && at < email.length - 1 ? email.slice(at + 1).toLowerCase() : undefined;
}

/** The connection that serves the domain of the address, if there is one. */
export function connectionForEmail(env: Env, email: string): Connection | undefined {
  const domain = domainOf(email);
  return domain === undefined ? undefined : connectionsServing(env, domain).find(isActive);
}

const NAMES: Partial<Record<Connection['provider'], string>> = {
  OKTA: 'Okta',
  GOOGLE: 'Google',
  MICROSOFT_AD: 'Microsoft Entra ID',
  AUTH0: 'Auth0',
  ONELOGIN: 'OneLogin',
  PING_IDENTITY: 'Ping Identity',
  JUMPCLOUD: 'JumpCloud',
  GITHUB: 'GitHub',
  GITLAB: 'GitLab',
  LINKEDIN: 'LinkedIn',
  SALESFORCE: 'Salesforce',
  MICROSOFT: 'Microsoft',
  IDP_SIMULATOR: 'IdP Simulator',
  ADFS: 'ADFS',
};

/** The provider's display name; undefined if it has none. */
export const knownProviderName = ({ provider }: Pick<Connection, 'provider'>): string | undefined =>
  NAMES[provider];

export const providerName = (connection: Pick<Connection, 'provider'>): string =>
  knownProviderName(connection) ?? 'your identity provider';
