import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import { templateClaims } from '../interceptors/token-claims.ts';
import { passwordlessConnection } from '../passwordless/passwordless.ts';
import { publicId } from '../resources/resource-clients.ts';
import { accessTokenLifetime, audienceOf } from '../resources/resource.ts';
import {
  currentClaims,
  organizationClaims,
  profileClaims,
  tokenClaims,
  type CurrentClaims,
} from './user-claims.ts';
import type { IssuedToken } from './revoked-tokens.ts';

type Client = Rows['clients'];
type RequiredField = 'client_id' | 'scopes' | 'subject' | 'connection_ids';
type OptionalField =
  'user_id' | 'session_id' | 'organization_id' | 'identity' | 'resource' | 'resource_id' | 'custom_claims';

/** What a user has granted to an application; codes and refresh tokens store it. */
export type UserGrant = Pick<Rows['refresh_tokens'], RequiredField | OptionalField>;

/**
 * In seconds (Scalekit docs, Complete login and ID token claims): for users with a session, and for
 * identities of a connection.
 */
const ID_TOKEN_LIFETIME = { user: 1800, identity: 259_200 };
const IDENTITY_TOKEN_LIFETIME = 900;
const MINUTE = 60;

interface IssueOptions {
  nonce?: string | undefined;
  /** When the user signed in, if the application asked for that. */
  authenticated_at?: string | undefined;
  /** The code that is exchanged for the tokens. */
  code?: string;
}

/** The token endpoint's reply without a refresh token, and the id of its access token. */
export function issueTokens(env: Env, client: Client, grant: UserGrant, options: IssueOptions = {}) {
  const { code } = options;
  const { scopes } = grant;
  const lifetime = lifetimeOf(env, client, grant);
  const { user_id, organization_id } = grant;
  const added = templateClaims(env, { user_id, organization_id });
  const claims = { ...added, ...accessClaims(env, client, { grant, lifetime }) };
  const access_token = env.token(claims);
  const issued: IssuedToken = { id: claims.jti, expires_at: new Date(claims.exp * 1000).toISOString() };
  const hashes = { at_hash: access_token, ...(code && { c_hash: code }) };
  // The service returns the remaining lifetime, which is one second less than the full one.
  const answer = { access_token, token_type: 'Bearer' as const, expires_in: lifetime - 1 };
  const scope = scopes.join(' ');
  if (!scopes.includes('openid')) return { issued, answer: { ...answer, scope } };
  const id_token = env.token(idClaims(env, grant, options), hashes);
  return { issued, answer: { ...answer, scope, id_token } };
}

function lifetimeOf(env: Env, client: Client, { user_id, resource_id }: UserGrant): number {
  if (resource_id) return client.expiry ?? accessTokenLifetime(env.resources.get(resource_id));
  const own = user_id ? env.settings.get('settings').access_token_expiry * MINUTE : IDENTITY_TOKEN_LIFETIME;
  return client.access_token_expiry ?? own;
}

/** Go's SDK reads `scope` and expects `aud` as a list; the SDKs for Node and Python read `scopes`. */
function accessClaims(env: Env, client: Client, { grant, lifetime }: { grant: UserGrant; lifetime: number }) {
  const { client_id, scopes, resource, user_id, resource_id, custom_claims } = grant;
  const whose = currentClaims(env, grant);
  const publicClientId = publicId(client);
  return {
    ...tokenClaims(env, lifetime, { resource_id, client_id: publicClientId }),
    sub: grant.subject,
    ...(resource_id
      ? { aud: audienceOf(env.resources.get(resource_id)), resid: resource_id }
      : { aud: [resource ?? client_id] }),
    client_id: publicClientId,
    scope: scopes.join(' '),
    scopes,
    ...sessionClaims(env, grant),
    ...(user_id && { roles: whose.roles, ...(!resource_id && { permissions: whose.permissions }) }),
    ...externalIds(whose),
    ...(custom_claims && { custom_claims }),
  };
}

/** The claims of an access token that the environment's own application would get for the user. */
export function baseClaims(
  env: Env,
  { user_id, organization_id }: { user_id: string; organization_id?: string | undefined },
) {
  const client = env.clients.findBy('client_type', 'ENV');
  if (!client) return {};
  const grant = {
    client_id: client.id,
    scopes: ['openid', 'profile', 'email'],
    subject: user_id,
    connection_ids: [],
    user_id,
    ...(organization_id && { organization_id }),
  };
  return accessClaims(env, client, { grant, lifetime: lifetimeOf(env, client, grant) });
}

function idClaims(env: Env, grant: UserGrant, { nonce, authenticated_at }: IssueOptions) {
  const { client_id, subject, user_id, scopes, resource_id } = grant;
  const { external_organization_id } = currentClaims(env, grant);
  const lifetime = ID_TOKEN_LIFETIME[user_id ? 'user' : 'identity'];
  const { nbf: _, jti: __, ...issued } = tokenClaims(env, lifetime, { resource_id, client_id });
  return {
    ...profileClaims(env, grant, scopes),
    ...issued,
    sub: subject,
    aud: [client_id],
    azp: client_id,
    client_id,
    amr: provingConnections(env, grant),
    ...sessionClaims(env, grant),
    ...externalIds({ external_organization_id }),
    ...(nonce && { nonce }),
    ...(authenticated_at && { auth_time: Math.floor(Date.parse(authenticated_at) / 1000) }),
  };
}

const sessionClaims = (env: Env, { session_id, organization_id, user_id }: UserGrant) => ({
  ...(user_id && organization_id && organizationClaims(env, organization_id)),
  ...(session_id && { sid: session_id }),
});

const externalIds = (whose: Partial<CurrentClaims>) => ({
  ...(whose.external_organization_id && { xoid: whose.external_organization_id }),
  ...(whose.external_user_id && { xuid: whose.external_user_id }),
});

/**
 * The connections that vouched for the user. Never empty, because Python's SDK reads the first.
 * Unverified (oauth/connection-claim): without a connection, the environment's passwordless connection is named.
 */
function provingConnections(env: Env, { connection_ids }: UserGrant): string[] {
  if (connection_ids.length > 0) return [...connection_ids];
  env.decidedBy('oauth/connection-claim');
  return [passwordlessConnection(env)?.id ?? 'otp'];
}
