import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { effectivePermissions } from '../roles/role-inheritance.ts';

type Whose = Pick<Rows['refresh_tokens'], 'user_id' | 'organization_id'>;

/** What somebody is in their organization, by now. */
export interface Standing {
  roles: string[];
  permissions: string[];
  external_organization_id?: string | undefined;
  external_user_id?: string | undefined;
}

export function standing(world: World, whose: Whose): Standing {
  const { user_id, organization_id } = whose;
  const held = (membershipOf(world, whose)?.role_ids ?? []).map((id) => world.roles.get(id));
  return {
    roles: held.map(({ name }) => name),
    permissions: effectivePermissions(world, held),
    external_organization_id: organization_id && world.organizations.find(organization_id)?.external_id,
    external_user_id: user_id && world.users.find(user_id)?.external_id,
  };
}

export function membershipOf(
  world: World,
  { user_id, organization_id }: Whose,
): Rows['memberships'] | undefined {
  if (!user_id || !organization_id) return undefined;
  return world.memberships.list('user_id', user_id).find((each) => each.organization_id === organization_id);
}
