import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type User = Rows['users'];

/** What interceptors are told of a user at every trigger point. */
export function toldUser({ id, email, user_profile }: User) {
  return { id, email, email_verified: user_profile.email_verified ?? false };
}

export const toldTimes = ({ create_time: created_at, update_time: updated_at }: User) => ({
  created_at,
  updated_at,
});

export function toldName({ user_profile }: User): string {
  const { name, given_name = '', family_name = '' } = user_profile;
  return name || `${given_name} ${family_name}`.trim();
}

export const toldMemberships = (world: World, { id }: User) =>
  world.memberships
    .list('user_id', id)
    .map(({ organization_id, membership_status: status }) => ({ organization_id, status }));
