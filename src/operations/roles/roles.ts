import type { Operations } from '../handler.ts';
import { getRole } from './role-lookup.ts';
import { deleteRole } from './role-removal.ts';
import { viewRole } from './role-view.ts';
import { createRole, updateRole } from './role-writing.ts';

/** Roles of the environment. Unverified: roles of an organization are not found by these paths. */
export const roles = {
  RolesService_ListRoles({ query }, world) {
    // Go's SDK takes the first two for the environment's own.
    const general = world.roles.list('scope', 'environment');
    const special = world.roles.list().filter((role) => role.organization_id !== undefined);
    return { roles: [...general, ...special].map((role) => viewRole(world, role, query)) };
  },

  RolesService_CreateRole({ body }, world) {
    return { role: viewRole(world, createRole(world, body)) };
  },

  RolesService_GetRole({ path, query }, world) {
    return { role: viewRole(world, getRole(world, path.role_name), query) };
  },

  RolesService_UpdateRole({ path, body }, world) {
    return { role: viewRole(world, updateRole(world, getRole(world, path.role_name), body)) };
  },

  RolesService_DeleteRole({ path, query }, world) {
    const heir = { id: query.reassign_role_id, name: query.reassign_role_name };
    deleteRole(world, getRole(world, path.role_name), heir);
    return {};
  },

  RolesService_DeleteRoleBase({ path }, world) {
    world.roles.update(getRole(world, path.role_name).id, { base_role_id: undefined });
    return {};
  },

  RolesService_ListDependentRoles({ path }, world) {
    const dependents = world.roles.list('base_role_id', getRole(world, path.role_name).id);
    return { roles: dependents.map((role) => viewRole(world, role)) };
  },

  RolesService_GetRoleUsersCount({ path }, world) {
    const holders = world.memberships.list('role_ids', getRole(world, path.role_name).id);
    return { count: String(new Set(holders.map(({ user_id }) => user_id)).size) };
  },
} satisfies Partial<Operations>;
