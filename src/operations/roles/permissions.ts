import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { page } from '../../rows/page.ts';
import { failedPrecondition, invalidArgument, notFound } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';
import type { Operations } from '../handler.ts';
import { listing } from '../lists.ts';
import { directGrants, effectiveGrants, getRole } from './role-lookup.ts';

type Permission = Rows['permissions'];

export const permissions = {
  RolesService_ListPermissions({ query }, env) {
    const { type = 'ALL' } = query;
    const by = type === 'ALL' ? undefined : (['type', type] as const);
    const { rows, ...rest } = page(env.permissions, { ...listing(query, env), by });
    return { ...rest, permissions: rows };
  },

  RolesService_CreatePermission({ body }, env) {
    const { name, description = '' } = body;
    const by = env.permissions.findBy('name', name);
    if (by) throw taken(env, 'permission', { key: name, by }, 'permissions');
    const now = env.clock.iso();
    const permission = env.permissions.insert({
      id: env.draw.id('perm'),
      name,
      description,
      create_time: now,
      update_time: now,
      is_scalekit_permission: false,
    });
    return { permission };
  },

  RolesService_GetPermission({ path }, env) {
    return { permission: env.permissions.getBy('name', path.permission_name) };
  },

  /** The body must have a name, but it changes nothing. */
  RolesService_UpdatePermission({ path, body }, env) {
    const { id } = changeable(env, path.permission_name);
    // A missing description stays (descriptors of the Python SDK).
    const { description } = body;
    const permission = env.permissions.update(id, {
      update_time: env.clock.iso(),
      ...(description !== undefined && { description }),
    });
    return { permission };
  },

  RolesService_DeletePermission({ path }, env) {
    env.remove('permissions', changeable(env, path.permission_name).id);
    return {};
  },
} satisfies Partial<Operations>;

function changeable(env: Env, name: string): Permission {
  const permission = env.permissions.getBy('name', name);
  // Unverified (roles/built-in-permission): the docs do not give the error.
  if (permission.is_scalekit_permission)
    throw failedPrecondition(`permission ${name} is built in and cannot be changed`, {
      rows: [rowNamed('permissions', permission)],
    }).decidedBy('roles/built-in-permission');
  return permission;
}

const MOST = 100;

export const rolePermissions = {
  RolesService_ListRolePermissions({ path }, env) {
    const role = getRole(env, path.role_name);
    return { permissions: directGrants(env, [role]).map(({ permission }) => permission) };
  },

  /** Returns all direct permissions of the role. Unknown names are ignored, as in the service. */
  RolesService_AddPermissionsToRole({ path, body }, env) {
    const role = getRole(env, path.role_name);
    const wanted = body.permission_names.flatMap((name) => env.permissions.findBy('name', name)?.id ?? []);
    const permission_ids = [...new Set([...role.permission_ids, ...wanted])];
    if (permission_ids.length > MOST)
      throw invalidArgument(`role ${role.name} cannot have more than ${MOST} permissions`);
    const updated = env.roles.update(role.id, { permission_ids });
    return { permissions: directGrants(env, [updated]).map(({ permission }) => permission) };
  },

  RolesService_RemovePermissionFromRole({ path }, env) {
    const role = getRole(env, path.role_name);
    const { id, name } = env.permissions.getBy('name', path.permission_name);
    // Unverified (roles/absent-permission): the docs do not say what happens if the role does not have the permission.
    if (!role.permission_ids.includes(id))
      throw notFound('permission', `${name} of role ${role.name}`).decidedBy('roles/absent-permission');
    const permission_ids = role.permission_ids.filter((each) => each !== id);
    env.roles.update(role.id, { permission_ids });
    return {};
  },

  RolesService_ListEffectiveRolePermissions({ path }, env) {
    const role = getRole(env, path.role_name);
    return { permissions: effectiveGrants(env, [role]).map(({ permission }) => permission) };
  },
} satisfies Partial<Operations>;
