import { failedPrecondition } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../page-size.ts';
import { duplicateKey } from './role-writing.ts';

type Permission = Rows['permissions'];

export const permissions = {
  RolesService_ListPermissions({ query }, world) {
    const { type = 'ALL', page_size, page_token } = query;
    const by = type === 'ALL' ? undefined : (['type', type] as const);
    const { rows, ...rest } = page(world.permissions, {
      size: pageSize(page_size, world),
      token: page_token,
      by,
    });
    return { ...rest, permissions: rows };
  },

  RolesService_CreatePermission({ body }, world) {
    const { name, description = '' } = body;
    if (world.permissions.findBy('name', name)) throw duplicateKey();
    const now = world.clock.iso();
    const permission = world.permissions.insert({
      id: world.draw.id('perm'),
      name,
      description,
      create_time: now,
      update_time: now,
      is_scalekit_permission: false,
    });
    return { permission };
  },

  RolesService_GetPermission({ path }, world) {
    return { permission: world.permissions.getBy('name', path.permission_name) };
  },

  /** The name that the body must have changes nothing. */
  RolesService_UpdatePermission({ path, body }, world) {
    const { id } = changeable(world, path.permission_name);
    // Unverified: a description that is not given stays.
    const { description } = body;
    const permission = world.permissions.update(id, {
      update_time: world.clock.iso(),
      ...(description !== undefined && { description }),
    });
    return { permission };
  },

  RolesService_DeletePermission({ path }, world) {
    world.remove('permissions', changeable(world, path.permission_name).id);
    return {};
  },
} satisfies Partial<Operations>;

function changeable(world: World, name: string): Permission {
  const permission = world.permissions.getBy('name', name);
  // Unverified: the service does not say how it refuses.
  if (permission.is_scalekit_permission)
    throw failedPrecondition(`permission ${name} is built in and cannot be changed`);
  return permission;
}
