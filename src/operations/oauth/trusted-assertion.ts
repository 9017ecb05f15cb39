import { type Cause } from '../../contract/cause.ts';
import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { shortened } from '@understudy/text/suggestion';
import { isCanonicalToken } from '@understudy/text/base64url';
import { isObject } from '@understudy/text/json';

type Connection = Rows['connections'];

/** An assertion whose signature was checked, and the connection to the identity provider that issued it. */
export interface TrustedAssertion extends UncheckedToken {
  connection: Connection;
}

/**
 * Checks who signed an assertion. Unverified (oauth/trusted-issuers): the trusted issuers are the identity providers
 * that users sign in with, as cross-app access extends the trust of single sign-on.
 */
export function trustedAssertion(env: Env, text: string): TrustedAssertion {
  const token = readToken(text);
  if (!token) throw new OAuthError('invalid_grant', 'assertion is not a signed JWT', { why: PROTOCOL });
  const issuer = String(token.claims['iss']);
  const connections = env.connections.list().filter((each) => issuesAs(each, issuer));
  if (connections.length === 0)
    throw new OAuthError(
      'invalid_grant',
      `iss of the assertion is not trusted: no enabled OIDC connection has the issuer ${shortened(issuer)}`,
      { why: { kind: 'permission' } },
    ).decidedBy('oauth/trusted-issuers');
  const connection = connections.find((each) => isSigned(token, keysOf(env, each)));
  if (!connection)
    throw new OAuthError('invalid_grant', `no key of ${shortened(issuer)} has signed the assertion`, {
      why: { kind: 'authentication' },
    });
  return { ...token, connection };
}

const PROTOCOL: Cause = { kind: 'protocol' };
const PROVIDER: Cause = { kind: 'provider' };

const issuesAs = ({ type, enabled, oidc_config }: Connection, issuer: string): boolean =>
  type === 'OIDC' && enabled && oidc_config?.issuer === issuer;

function keysOf(env: Env, { oidc_config = {} }: Connection): Record<string, unknown>[] {
  const { issuer = '', jwks_uri } = oidc_config;
  const address = jwks_uri || discovered(env, issuer);
  const keys = readKeys(fetched(env, issuer, address));
  if (!keys) throw new OAuthError('invalid_grant', `${address} is not a JSON Web Key Set`, { why: PROVIDER });
  return keys;
}

function discovered(env: Env, issuer: string): string {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const [, found] = /"jwks_uri"\s*:\s*"([^"\\]+)"/.exec(fetched(env, issuer, address)) ?? [];
  if (found) return found;
  throw new OAuthError('invalid_grant', `${address} names no jwks_uri: set the jwks_uri of the connection`, {
    why: PROVIDER,
  });
}

function fetched(env: Env, provider: string, url: string): string {
  const call = { provider, method: 'GET', url, headers: { accept: 'application/json' }, body: '' };
  const outcome = env.callProvider({ ...call, kind: 'issuer_keys', credentials: {} });
  if (outcome.failure) throw new OAuthError('invalid_grant', outcome.message, { why: PROVIDER });
  if (outcome.status !== 200)
    throw new OAuthError('invalid_grant', `${url} answered ${outcome.status}`, {
      why: PROVIDER,
    });
  return outcome.text;
}

/** A JSON Web Token that nobody has checked yet. */
export interface UncheckedToken {
  header: Readonly<Record<string, unknown>>;
  claims: Readonly<Record<string, unknown>>;
  signed: Buffer;
  signature: Buffer;
}

/** undefined: the text is no signed JSON Web Token. */
function readToken(text: string): UncheckedToken | undefined {
  if (!isCanonicalToken(text)) return undefined;
  const [head = '', payload = '', signature = ''] = text.split('.');
  const [header, claims] = [decoded(head), decoded(payload)];
  if (!header || !claims || signature === '') return undefined;
  const signed = Buffer.from(`${head}.${payload}`);
  return { header, claims, signed, signature: Buffer.from(signature, 'base64url') };
}

function decoded(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON
  }
}

/** The keys of a JSON Web Key Set; undefined if the text is none. */
function readKeys(text: string): Record<string, unknown>[] | undefined {
  try {
    const set: unknown = JSON.parse(text);
    return isObject(set) && Array.isArray(set['keys']) ? set['keys'].filter(isObject) : undefined;
  } catch {
    return undefined; // not JSON
  }
}

/** How Node names each algorithm, and the type of its keys. Those with a shared secret must not be here (RFC 8725 3.1). */
const ALGORITHMS: Readonly<Record<string, { hash: string | null; kty: string } | undefined>> = {
  RS256: { hash: 'RSA-SHA256', kty: 'RSA' },
  RS384: { hash: 'RSA-SHA384', kty: 'RSA' },
  RS512: { hash: 'RSA-SHA512', kty: 'RSA' },
  ES256: { hash: 'SHA256', kty: 'EC' },
  ES384: { hash: 'SHA384', kty: 'EC' },
  EdDSA: { hash: null, kty: 'OKP' },
};

/**
 * Whether one of the keys has signed the token. A handler cannot wait, and jose verifies asynchronously, so this is done
 * with Node's own functions.
 */
function isSigned(token: UncheckedToken, keys: readonly Record<string, unknown>[]): boolean {
  const { alg, kid } = token.header;
  const algorithm = Object.hasOwn(ALGORITHMS, String(alg)) ? ALGORITHMS[String(alg)] : undefined;
  if (!algorithm) return false;
  const fitting = keys.filter(
    (key) => key['kty'] === algorithm.kty && (kid === undefined || key['kid'] === kid),
  );
  return fitting.some((key) => isSignedBy(key, token, algorithm.hash));
}

function isSignedBy(jwk: JsonWebKey, { signed, signature }: UncheckedToken, hash: string | null): boolean {
  try {
    const key: KeyObject = createPublicKey({ key: jwk, format: 'jwk' });
    return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false; // no usable key
  }
}
