import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { OAuthError } from '../../errors.ts';
import { shortened } from '../../text/shortened.ts';
import { isSigned, readKeys, readToken, type UncheckedToken } from './json-web-signature.ts';

type Connection = Rows['connections'];

/** An assertion whose signature was checked, and the connection to the identity provider that issued it. */
export interface TrustedAssertion extends UncheckedToken {
  connection: Connection;
}

/**
 * Checks who signed an assertion. Unverified: the trusted issuers are the identity providers that users sign in with, as
 * cross-app access extends the trust of single sign-on.
 */
export function trustedAssertion(env: Env, text: string): TrustedAssertion {
  const token = readToken(text);
  if (!token) throw new OAuthError('invalid_grant', 'assertion is not a signed JWT');
  const issuer = String(token.claims['iss']);
  const connections = env.connections.list().filter((each) => issuesAs(each, issuer));
  if (connections.length === 0)
    throw new OAuthError(
      'invalid_grant',
      `iss of the assertion is not trusted: no enabled OIDC connection has the issuer ${shortened(issuer)}`,
    );
  const connection = connections.find((each) => isSigned(token, keysOf(env, each)));
  if (!connection)
    throw new OAuthError('invalid_grant', `no key of ${shortened(issuer)} has signed the assertion`);
  return { ...token, connection };
}

const issuesAs = ({ type, enabled, oidc_config }: Connection, issuer: string): boolean =>
  type === 'OIDC' && enabled && oidc_config?.issuer === issuer;

function keysOf(env: Env, { oidc_config = {} }: Connection): Record<string, unknown>[] {
  const { issuer = '', jwks_uri } = oidc_config;
  const address = jwks_uri || discovered(env, issuer);
  const keys = readKeys(fetched(env, issuer, address));
  if (!keys) throw new OAuthError('invalid_grant', `${address} is not a JSON Web Key Set`);
  return keys;
}

function discovered(env: Env, issuer: string): string {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const [, found] = /"jwks_uri"\s*:\s*"([^"\\]+)"/.exec(fetched(env, issuer, address)) ?? [];
  if (found) return found;
  throw new OAuthError('invalid_grant', `${address} names no jwks_uri: set the jwks_uri of the connection`);
}

function fetched(env: Env, provider: string, url: string): string {
  const call = { provider, method: 'GET', url, headers: { accept: 'application/json' }, body: '' };
  const outcome = env.callProvider({ ...call, kind: 'issuer_keys', credentials: {} });
  if (outcome.failure) throw new OAuthError('invalid_grant', outcome.message);
  if (outcome.status !== 200) throw new OAuthError('invalid_grant', `${url} answered ${outcome.status}`);
  return outcome.text;
}
