import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { passwordlessConnection } from '../passwordless/passwordless-config.ts';
import { tokenClaims } from '../token-claims.ts';
import { standing, type Standing } from './standing.ts';
import type { IssuedToken } from './revoked-tokens.ts';
import { profileClaims } from './profile-claims.ts';

type Client = Rows['clients'];
type Names = 'client_id' | 'scopes' | 'subject' | 'connection_ids';
type Further = 'user_id' | 'session_id' | 'organization_id' | 'identity' | 'resource' | 'custom_claims';

/** What a user has granted to an application, as a code and a refresh token keep it. */
export type UserGrant = Pick<Rows['refresh_tokens'], Names | Further>;

/** Seconds (reference: login-and-tokens 1.5): of somebody with a session, and of somebody whom a connection vouches for. */
const ID_TOKEN_LIFETIME = { user: 1800, identity: 259_200 };
const IDENTITY_TOKEN_LIFETIME = 900;
const MINUTE = 60;

interface Circumstances {
  nonce?: string | undefined;
  /** The code that the tokens are given for. */
  code?: string;
}

/** The answer of the token endpoint, but for a refresh token; and which access token is in it. */
export function issueTokens(env: Env, client: Client, grant: UserGrant, { nonce, code }: Circumstances = {}) {
  const { scopes } = grant;
  const lifetime = accessTokenLifetime(env, client, grant);
  const claims = accessClaims(env, grant, lifetime);
  const access_token = env.token(claims);
  const issued: IssuedToken = { id: claims.jti, expires_at: new Date(claims.exp * 1000).toISOString() };
  const hashes = { at_hash: access_token, ...(code && { c_hash: code }) };
  // The service answers what is left of the lifetime, which is a second less than all of it.
  const answer = { access_token, token_type: 'Bearer' as const, expires_in: lifetime - 1 };
  const scope = scopes.join(' ');
  if (!scopes.includes('openid')) return { issued, answer: { ...answer, scope } };
  const id_token = env.token(idClaims(env, grant, nonce), hashes);
  return { issued, answer: { ...answer, scope, id_token } };
}

function accessTokenLifetime(env: Env, client: Client, { user_id }: UserGrant): number {
  const own = user_id ? env.settings.get('settings').access_token_expiry * MINUTE : IDENTITY_TOKEN_LIFETIME;
  return client.access_token_expiry ?? own;
}

/** Go reads `scope` and wants `aud` as a list; Node and Python read `scopes` (reference: login-and-tokens 2.2 to 2.4). */
function accessClaims(env: Env, grant: UserGrant, lifetime: number) {
  const { client_id, scopes, resource, user_id, custom_claims } = grant;
  const whose = standing(env, grant);
  return {
    ...tokenClaims(env, lifetime),
    sub: grant.subject,
    aud: [resource ?? client_id],
    client_id,
    scope: scopes.join(' '),
    scopes,
    ...sessionClaims(grant),
    ...(user_id && { roles: whose.roles, permissions: whose.permissions }),
    ...externalIds(whose),
    ...(custom_claims && { custom_claims }),
  };
}

function idClaims(env: Env, grant: UserGrant, nonce: string | undefined) {
  const { client_id, subject, user_id, scopes } = grant;
  const { external_organization_id } = standing(env, grant);
  const { nbf: _, jti: __, ...issued } = tokenClaims(env, ID_TOKEN_LIFETIME[user_id ? 'user' : 'identity']);
  return {
    ...profileClaims(env, grant, scopes),
    ...issued,
    sub: subject,
    aud: [client_id],
    azp: client_id,
    client_id,
    amr: proofs(env, grant),
    ...sessionClaims(grant),
    ...externalIds({ external_organization_id }),
    ...(nonce && { nonce }),
  };
}

const sessionClaims = ({ session_id, organization_id, user_id }: UserGrant) => ({
  ...(user_id && organization_id && { oid: organization_id }),
  ...(session_id && { sid: session_id }),
});

const externalIds = (whose: Partial<Standing>) => ({
  ...(whose.external_organization_id && { xoid: whose.external_organization_id }),
  ...(whose.external_user_id && { xuid: whose.external_user_id }),
});

/**
 * The connections that have vouched for the user; never empty, for Python's SDK reads the first. Unverified: who signed
 * in at none is said to have come by the environment's own passwordless connection.
 */
function proofs(env: Env, { connection_ids }: UserGrant): string[] {
  if (connection_ids.length > 0) return [...connection_ids];
  return [passwordlessConnection(env)?.id ?? 'otp'];
}
