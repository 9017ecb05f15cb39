import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { directGrants, effectiveGrants, type Grant } from './role-inheritance.ts';
import { defaultMemberRole } from './role-lookup.ts';

type Role = Rows['roles'];

interface Viewing {
  /** The organization that looks: it may have a default of its own. */
  organizationId?: string | undefined;
  include?: '' | 'permissions' | 'permissions:all' | undefined;
}

export function viewRole(
  world: World,
  role: Role,
  { organizationId = role.organization_id, include }: Viewing = {},
) {
  const { id, name, display_name, description, default_creator, base_role_id, organization_id } = role;
  const isDefault = organizationId && defaultMemberRole(world, organizationId)?.id === id;
  return {
    id,
    name,
    display_name,
    description,
    default_creator,
    default_member: organizationId ? Boolean(isDefault) : role.default_member,
    ...(base_role_id !== undefined && { extends: world.roles.get(base_role_id).name }),
    ...(include && { permissions: included(world, role, include).map(viewGrant) }),
    dependent_roles_count: world.roles.count('base_role_id', id),
    is_org_role: organization_id !== undefined,
  };
}

const included = (world: World, role: Role, include: 'permissions' | 'permissions:all') =>
  include === 'permissions' ? directGrants(world, [role]) : effectiveGrants(world, [role]);

function viewGrant({ permission, role }: Grant) {
  const { is_scalekit_permission: _, ...shown } = permission;
  return { ...shown, role_name: role.name };
}
