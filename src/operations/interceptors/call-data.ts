import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { passwordlessConnection } from '../passwordless/passwordless-config.ts';
import { deviceOf } from '../sign-in/device.ts';

type User = Rows['users'];

/** The user as interceptors see it at every trigger point. */
export function userData({ id, email, user_profile }: User) {
  return { id, email, email_verified: user_profile.email_verified ?? false };
}

export const userTimes = ({ create_time: created_at, update_time: updated_at }: User) => ({
  created_at,
  updated_at,
});

export function userName({ user_profile }: User): string {
  const { name, given_name = '', family_name = '' } = user_profile;
  return name || `${given_name} ${family_name}`.trim();
}

export const membershipData = (env: Env, { id }: User) =>
  env.memberships
    .list('user_id', id)
    .map(({ organization_id, membership_status: status }) => ({ organization_id, status }));

type Connection = Rows['connections'];

const TYPES = ['OAUTH', 'SAML', 'OIDC', 'PASSWORDLESS'] as const;

/**
 * How the user proved their identity. Unverified: without a connection, the environment's passwordless
 * connection is named, as in tokens.
 */
export function connectionDetails(env: Env, ids: readonly string[]) {
  const known = ids.flatMap((id) => env.connections.find(id) ?? []);
  const own = ids.length === 0 ? passwordlessConnection(env) : undefined;
  return [...known, ...(own ? [own] : [])].flatMap(detailsOf);
}

function detailsOf({ id, type: connectionType, provider }: Connection) {
  const type = TYPES.find((each) => each === connectionType);
  return type ? [{ id, type, provider }] : [];
}

/** The device and its location, as far as they are known. */
export function deviceData({ user_agent = '', ip, location }: NonNullable<Rows['sessions']['device']> = {}) {
  const { region, city } = location ?? {};
  return {
    user_agent,
    device_type: deviceType(user_agent),
    ...(ip && { ip_address: ip }),
    ...(region && { region }),
    ...(city && { city }),
  };
}

const NAMES = { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet' } as const;

export function deviceType(userAgent: string) {
  const { device_type } = deviceOf(userAgent, '');
  return NAMES[device_type as keyof typeof NAMES] ?? 'Unknown';
}

/** Unverified: claims under `custom_claims` and claims beside it mean the same. */
export function mergeCustomClaims(
  claims: Readonly<Record<string, unknown>> & { custom_claims?: object } = {},
) {
  const { custom_claims, ...own } = claims;
  return { ...custom_claims, ...own };
}
