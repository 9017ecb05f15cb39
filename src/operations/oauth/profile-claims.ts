import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

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
export function profileClaims(world: World, whose: Whose, scopes: readonly string[]): Profile {
  const { email, email_verified, profile, custom } = known(world, whose);
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

function known(world: World, { user_id, identity }: Whose): Known {
  const user = user_id ? world.users.find(user_id) : undefined;
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
