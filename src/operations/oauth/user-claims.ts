import type { Env, Rows } from '../../state/env.ts';
import { environmentOfClient } from '../../state/credentials.ts';
import { tokenIssuer } from '../resources/resource.ts';
import { effectivePermissions } from '../roles/role-lookup.ts';
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
export interface CurrentClaims {
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
export function organizationClaims(env: Env, oid: string) {
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
export function profileClaims(env: Env, whose: GrantOwner, scopes: readonly string[]): Profile {
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
