import type { InterceptorEffects } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Operations } from '../handler.ts';
import { askInterceptors } from '../interceptors/ask.ts';
import { deviceType, ownClaims } from '../interceptors/question-parts.ts';
import { standing } from './standing.ts';

type Whose = Pick<Rows['refresh_tokens'], 'user_id' | 'identity'>;
type Profile = Readonly<Record<string, unknown>>;

/** Claims of `profile`, beside what is configured. */
export const PROFILE = [
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'picture',
  'locale',
] as const;

/** What no attribute of a user may say (reference: login-and-tokens 2.2). */
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
const OF_TOKENS = [
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
for (const name of OF_TOKENS) RESERVED.add(name);

/** Who somebody is, as far as the scopes let it be told. */
export function profileClaims(env: Env, whose: Whose, scopes: readonly string[]): Profile {
  const { email, email_verified, profile, custom } = known(env, whose);
  const given = Object.entries(custom).filter(([name]) => !RESERVED.has(name));
  const told = PROFILE.map((name) => [name, profile[name]]).filter(([, value]) => isText(value));
  return {
    ...(scopes.includes('profile') && Object.fromEntries([...given, ...told])),
    ...(scopes.includes('email') && { email, email_verified }),
  };
}

interface Known {
  email: string | undefined;
  email_verified: boolean;
  profile: Profile;
  custom: Profile;
}

function known(env: Env, { user_id, identity }: Whose): Known {
  const user = user_id ? env.users.find(user_id) : undefined;
  const attributes = identity?.attributes ?? {};
  if (!user) {
    const { email, email_verified = false } = identity ?? {};
    return { email, email_verified, profile: named(attributes), custom: attributes };
  }
  const { email_verified = false, custom_attributes = {}, ...profile } = user.user_profile;
  const custom = { ...attributes, ...custom_attributes };
  return { email: user.email, email_verified, profile: named(profile), custom };
}

/** With a whole name, if there are parts of one. */
function named(profile: Profile): Profile {
  const parts = [profile['given_name'], profile['family_name']].filter(isText);
  return isText(profile['name']) || parts.length === 0 ? profile : { ...profile, name: parts.join(' ') };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What of a client's token interceptors may change. */
export interface ClientClaims {
  scopes: readonly string[];
  audience: readonly string[];
  custom: Readonly<Record<string, unknown>>;
}

type Claims = NonNullable<InterceptorEffects<'PRE_M2M_TOKEN_CREATION'>['claims']>;

/** As interceptors leave them. Unverified: those of clients of the environment, which call this API, are nobody's business. */
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
  return effects.claims ? changed(claims, effects.claims) : claims;
}

/** Unverified: what is neither scope nor audience is a claim of the interceptor's own, wherever it stands. */
function changed(before: ClientClaims, claims: Claims): ClientClaims {
  const { scope, scopes = scope, aud, ...own } = claims;
  return {
    scopes: scopes === undefined ? before.scopes : [scopes].flat().flatMap(words),
    audience: aud === undefined ? before.audience : [aud].flat(),
    custom: { ...before.custom, ...ownClaims(own) },
  };
}

const words = (text: string) => text.split(' ').filter((word) => word !== '');

export const oauthUserInfo = {
  OAuth_UserInfo(_, env) {
    const { subject = '', scopes = [], user_id, organization_id } = env.caller ?? {};
    const identity = user_id ? undefined : identityOf(env, subject);
    const { external_organization_id: xoid } = standing(env, {
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

/** What a connection said of somebody who is no user, when they last signed in. */
function identityOf({ authorization_codes, caller }: Env, subject: string) {
  const codes = authorization_codes.list('client_id', caller?.client_id ?? '');
  return codes.findLast((code) => code.subject === subject)?.identity;
}
