import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { effectivePermissions } from '../roles/role-inheritance.ts';

type Membership = Rows['memberships'];

export function viewMembership(world: World, membership: Membership) {
  const {
    id: _,
    user_id: __,
    role_ids,
    resent_at: ___,
    resent_count: ____,
    ...shown
  } = withoutProof(membership);
  const { display_name } = world.organizations.get(membership.organization_id);
  const roles = role_ids.map((id) => world.roles.get(id));
  return {
    ...shown,
    name: display_name,
    display_name,
    roles: roles.map(viewMembershipRole),
    permissions: effectivePermissions(world, roles),
  };
}

/** What proves who the member is stays with us. */
const withoutProof = ({ invitation_token: _, proved_connection_ids: __, ...membership }: Membership) =>
  membership;

export const viewMembershipRole = ({ id, name, display_name }: Rows['roles']) => ({ id, name, display_name });
