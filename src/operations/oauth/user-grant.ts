import type { Rows, Env } from '../../state/env.ts';
import { templateClaims } from '../interceptors/token-claims.ts';
import { publicId } from '../resources/resource-clients.ts';
import { accessTokenLifetime, audienceOf, tokenIssuer } from '../resources/resource.ts';
import type { IssuedToken } from './revoked-tokens.ts';
import { environmentOfClient } from '../../state/credentials.ts';
import { effectivePermissions } from '../roles/role-lookup.ts';
import { connectionOfAddress } from '../sign-in/proving-connection.ts';
import type { Operations } from '../handler.ts';

interface TokenOwner {
  resource_id?: string | undefined;
  client_id?: string;
}

/**
 * Issuer, times and environment of a new token; `lifetime` is in seconds. The id of the environment's own client names the
 * environment already. Such a token stays as short as the service's, because applications keep tokens in cookies.
 */
export function tokenClaims(env: Env, lifetime: number, { resource_id, client_id = '' }: TokenOwner = {}) {
  const now = Math.floor(env.clock.ms / 1000);
  return {
    iss: tokenIssuer(env, resource_id),
    iat: now,
    nbf: now,
    exp: now + lifetime,
    jti: env.draw.id('tkn'),
    ...(environmentOfClient(client_id) !== env.environment && { understudy_environment: env.environment }),
  };
}

type GrantOwner = Pick<Rows['refresh_tokens'], 'user_id' | 'organization_id' | 'identity'>;

/** The user's current role and permissions in their organization. */
interface CurrentClaims {
  roles: string[];
  permissions: string[];
  external_organization_id?: string | undefined;
  external_user_id?: string | undefined;
}

export function currentClaims(env: Env, whose: GrantOwner): CurrentClaims {
  const { user_id, organization_id } = whose;
  const held = (membershipOf(env, whose)?.role_ids ?? []).map((id) => env.roles.get(id));
  return {
    roles: held.map(({ name }) => name),
    permissions: effectivePermissions(env, held),
    external_organization_id: organization_id && env.organizations.find(organization_id)?.external_id,
    external_user_id: user_id && env.users.find(user_id)?.external_id,
  };
}

/**
 * Unverified (oauth/organization-claim): the service documents `oid` alone, but its SDK for React and examples for MCP
 * servers read `org_id`. So that is a setting.
 */
function organizationClaims(env: Env, oid: string) {
  const { org_id_claim } = env.settings.get('settings');
  return { oid, ...(org_id_claim && { org_id: oid }) };
}

export function membershipOf(
  env: Env,
  { user_id, organization_id }: GrantOwner,
): Rows['memberships'] | undefined {
  if (!user_id || !organization_id) return undefined;
  return env.memberships.list('user_id', user_id).find((each) => each.organization_id === organization_id);
}

type Profile = Readonly<Record<string, unknown>>;

/** Claims of the scope `profile`, without the configured ones. */
export const PROFILE = [
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'picture',
  'locale',
] as const;

const TOKEN_CLAIMS = [
  'iss',
  'aud',
  'azp',
  'client_id',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'amr',
  'auth_time',
];
const USER_CLAIMS = ['roles', 'permissions', 'email', 'email_verified', 'sub', 'oid', 'sid', 'xoid', 'xuid'];

/** Claims that no attribute of a user may override (Scalekit docs, ID token claims). */
const RESERVED = new Set([...TOKEN_CLAIMS, ...USER_CLAIMS, ...PROFILE]);

/** The user's claims that the scopes allow. */
function profileClaims(env: Env, whose: GrantOwner, scopes: readonly string[]): Profile {
  const { email, email_verified, profile, custom } = knownProfile(env, whose);
  const given = Object.entries(custom).filter(([name]) => !RESERVED.has(name));
  const standard = PROFILE.map((name) => [name, profile[name]]).filter(([, value]) => isText(value));
  return {
    ...(scopes.includes('profile') && Object.fromEntries([...given, ...standard])),
    ...(scopes.includes('email') && { email, email_verified }),
  };
}

interface KnownProfile {
  email: string | undefined;
  email_verified: boolean;
  profile: Profile;
  custom: Profile;
}

function knownProfile(env: Env, { user_id, identity }: GrantOwner): KnownProfile {
  const user = user_id ? env.users.find(user_id) : undefined;
  const attributes = identity?.attributes ?? {};
  if (!user) {
    const { email, email_verified = false } = identity ?? {};
    return { email, email_verified, profile: withFullName(attributes), custom: attributes };
  }
  const { email_verified = false, custom_attributes = {}, ...profile } = user.user_profile;
  const custom = { ...attributes, ...custom_attributes };
  return { email: user.email, email_verified, profile: withFullName(profile), custom };
}

/** Adds a full name if there are parts of one. */
function withFullName(profile: Profile): Profile {
  const parts = [profile['given_name'], profile['family_name']].filter(isText);
  return isText(profile['name']) || parts.length === 0 ? profile : { ...profile, name: parts.join(' ') };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const oauthUserInfo = {
  OAuth_UserInfo(_, env) {
    const { subject = '', scopes = [], user_id, organization_id } = env.caller ?? {};
    const identity = user_id ? undefined : identityOf(env, subject);
    const { external_organization_id: xoid } = currentClaims(env, {
      ...(organization_id && { organization_id }),
    });
    return {
      ...profileClaims(env, { ...(user_id && { user_id }), ...(identity && { identity }) }, scopes),
      sub: subject,
      ...(organization_id && organizationClaims(env, organization_id)),
      ...(xoid && { xoid }),
    };
  },
} satisfies Partial<Operations>;

/** What the connection said at the last sign-in of somebody without a user record. */
function identityOf({ authorization_codes, caller }: Env, subject: string) {
  const codes = authorization_codes.list('client_id', caller?.client_id ?? '');
  return codes.findLast((code) => code.subject === subject)?.identity;
}

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
 * Unverified (oauth/connection-claim): if none has, the connection to which the user's address leads is named.
 */
function provingConnections(env: Env, grant: UserGrant): string[] {
  if (grant.connection_ids.length > 0) return [...grant.connection_ids];
  env.decidedBy('oauth/connection-claim');
  return [connectionOfAddress(env, grant)?.id ?? 'otp'];
}
