import { notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { getRole, roleNamed } from './role-lookup.ts';
import { deleteRole } from './role-removal.ts';
import { viewRole } from './role-view.ts';
import { createRole, updateRole } from './role-writing.ts';

interface RolePath {
  org_id: string;
  role_name: string;
}

/** Roles as an organization has them: its own, and the environment's, which it reads and can't change. */
export const organizationRoles = {
  RolesService_ListOrganizationRoles({ path, query }, world) {
    const { id: organizationId } = world.organizations.get(path.org_id);
    const { include } = query;
    const general = world.roles.list('scope', 'environment');
    const own = world.roles.list('organization_id', organizationId);
    const roles = [...general, ...own].map((role) => viewRole(world, role, { organizationId, include }));
    return { roles };
  },

  RolesService_CreateOrganizationRole({ path, body }, world) {
    const organization = world.organizations.get(path.org_id);
    return { role: viewRole(world, createRole(world, body, organization.id)) };
  },

  RolesService_GetOrganizationRole({ path, query }, world) {
    const { include } = query;
    return { role: viewRole(world, visible(world, path), { organizationId: path.org_id, include }) };
  },

  RolesService_UpdateOrganizationRole({ path, body }, world) {
    return { role: viewRole(world, updateRole(world, own(world, path), body)) };
  },

  RolesService_DeleteOrganizationRole({ path, query }, world) {
    deleteRole(world, own(world, path), { name: query.reassign_role_name });
    return {};
  },

  RolesService_DeleteOrganizationRoleBase({ path }, world) {
    world.roles.update(own(world, path).id, { base_role_id: undefined });
    return {};
  },

  RolesService_GetOrganizationRoleUsersCount({ path }, world) {
    const { id } = visible(world, path);
    const members = world.memberships.list('organization_id', path.org_id);
    return { count: String(members.filter(({ role_ids }) => role_ids.includes(id)).length) };
  },
} satisfies Partial<Operations>;

/** Unverified: the environment's roles are found through an organization too. */
const visible = (world: World, { org_id, role_name }: RolePath): Rows['roles'] =>
  getRole(world, role_name, world.organizations.get(org_id).id);

/** Unverified: through an organization only its own roles can be changed. */
function own(world: World, { org_id, role_name }: RolePath): Rows['roles'] {
  const role = roleNamed(world, role_name, world.organizations.get(org_id).id);
  if (!role) throw notFound('role', role_name);
  return role;
}
