import type { InterceptorEffects } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Operations } from '../handler.ts';
import { askInterceptors, deviceType, mergeCustomClaims } from '../interceptors/ask.ts';
import { currentClaims } from './current-claims.ts';

type GrantOwner = Pick<Rows['refresh_tokens'], 'user_id' | 'identity'>;
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

/** Claims that no attribute of a user may override (Scalekit docs, ID token claims). */
const RESERVED = new Set([
  'roles',
  'permissions',
  'email',
  'email_verified',
  'sub',
  'oid',
  'sid',
  ...PROFILE,
]);
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
  'xoid',
  'xuid',
];
for (const name of TOKEN_CLAIMS) RESERVED.add(name);

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

/** The claims of a client's token that interceptors may change. */
export interface ClientClaims {
  scopes: readonly string[];
  audience: readonly string[];
  custom: Readonly<Record<string, unknown>>;
}

type Claims = NonNullable<InterceptorEffects<'PRE_M2M_TOKEN_CREATION'>['claims']>;

/**
 * Applies the interceptors' changes. Unverified: interceptors are not asked about tokens of environment
 * clients, which call this API.
 */
export function interceptedClaims(
  env: Env,
  client: Rows['clients'],
  claims: ClientClaims,
  userAgent: string,
): ClientClaims {
  const { id: client_id, organization_id: oid } = client;
  if (!oid) return claims;
  const { scopes, custom } = claims;
  const effects = askInterceptors(env, 'PRE_M2M_TOKEN_CREATION', () => ({
    context: { client_id, user_agent: userAgent, device_type: deviceType(userAgent) },
    data: {
      m2m_token_claims: {
        client_id,
        claims: { custom_claims: { ...custom }, oid, scope: scopes.join(' '), scopes: [...scopes] },
      },
    },
  }));
  return effects.claims ? applyChanges(claims, effects.claims) : claims;
}

/**
 * Unverified: every claim other than scope and audience is a custom claim, wherever the interceptor puts it.
 */
function applyChanges(before: ClientClaims, claims: Claims): ClientClaims {
  const { scope, scopes = scope, aud, ...own } = claims;
  return {
    scopes: scopes === undefined ? before.scopes : [scopes].flat().flatMap(splitWords),
    audience: aud === undefined ? before.audience : [aud].flat(),
    custom: { ...before.custom, ...mergeCustomClaims(own) },
  };
}

const splitWords = (text: string) => text.split(' ').filter((word) => word !== '');

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
      ...(organization_id && { oid: organization_id }),
      ...(xoid && { xoid }),
    };
  },
} satisfies Partial<Operations>;

/** What the connection said at the last sign-in of somebody without a user record. */
function identityOf({ authorization_codes, caller }: Env, subject: string) {
  const codes = authorization_codes.list('client_id', caller?.client_id ?? '');
  return codes.findLast((code) => code.subject === subject)?.identity;
}
