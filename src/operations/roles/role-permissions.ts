import { invalidArgument, notFound } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { directGrants, effectiveGrants } from './role-inheritance.ts';
import { getRole } from './role-lookup.ts';

const MOST = 100;

export const rolePermissions = {
  RolesService_ListRolePermissions({ path }, world) {
    const role = getRole(world, path.role_name);
    return { permissions: directGrants(world, [role]).map(({ permission }) => permission) };
  },

  /** Answers all that the role itself has then. Names that nothing has are passed over, as the service does. */
  RolesService_AddPermissionsToRole({ path, body }, world) {
    const role = getRole(world, path.role_name);
    const wanted = body.permission_names.flatMap((name) => world.permissions.findBy('name', name)?.id ?? []);
    const permission_ids = [...new Set([...role.permission_ids, ...wanted])];
    if (permission_ids.length > MOST)
      throw invalidArgument(`role ${role.name} cannot have more than ${MOST} permissions`);
    const updated = world.roles.update(role.id, { permission_ids });
    return { permissions: directGrants(world, [updated]).map(({ permission }) => permission) };
  },

  RolesService_RemovePermissionFromRole({ path }, world) {
    const role = getRole(world, path.role_name);
    const { id, name } = world.permissions.getBy('name', path.permission_name);
    // Unverified: the service does not say what it does when the role has no such permission.
    if (!role.permission_ids.includes(id)) throw notFound('permission', `${name} of role ${role.name}`);
    const permission_ids = role.permission_ids.filter((each) => each !== id);
    world.roles.update(role.id, { permission_ids });
    return {};
  },

  RolesService_ListEffectiveRolePermissions({ path }, world) {
    const role = getRole(world, path.role_name);
    return { permissions: effectiveGrants(world, [role]).map(({ permission }) => permission) };
  },
} satisfies Partial<Operations>;
