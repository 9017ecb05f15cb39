import { invalidArgument } from '../../errors.ts';
import type { components } from '../../contract/openapi.gen.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { lineage } from './role-inheritance.ts';
import { findRole, roleNamed } from './role-lookup.ts';

type Role = Rows['roles'];
type CreateRole = components['schemas']['CreateRole'];
type UpdateRole = components['schemas']['UpdateRole'];

/** A role of the environment or, with its id, of an organization. */
export function createRole(world: World, wanted: CreateRole, organizationId?: string): Role {
  const { name, display_name, description = '', permissions = [] } = wanted;
  if (roleNamed(world, name, organizationId)) throw duplicateKey();
  const base = wanted.extends === undefined ? undefined : findBase(world, wanted.extends, organizationId);
  return world.roles.insert({
    id: world.draw.id('role'),
    ...(organizationId && { organization_id: organizationId }),
    name,
    display_name,
    description,
    ...(base && { base_role_id: base.id }),
    default_creator: false,
    default_member: false,
    permission_ids: permissionIds(world, permissions),
  });
}

/** What is not given stays. An empty list of permissions takes all of them away. */
export function updateRole(world: World, role: Role, wanted: UpdateRole): Role {
  const { display_name, description, permissions } = wanted;
  const base =
    wanted.extends === undefined ? undefined : findBase(world, wanted.extends, role.organization_id);
  if (base) refuseCircle(world, role, base);
  return world.roles.update(role.id, {
    ...(display_name !== undefined && { display_name }),
    ...(description !== undefined && { description }),
    ...(base && { base_role_id: base.id }),
    ...(permissions && { permission_ids: permissionIds(world, permissions) }),
  });
}

/** The name of a role or of a permission is taken. */
export const duplicateKey = () => invalidArgument('duplicate key not allowed');

function findBase(world: World, name: string, organizationId: string | undefined): Role {
  const base = findRole(world, organizationId, { name });
  if (!base) throw invalidArgument(`base role ${name} not found`);
  return base;
}

function refuseCircle(world: World, role: Role, base: Role): void {
  // Unverified: the service documents inheritance through several levels, and nothing about circles.
  if (lineage(world, [base]).some(({ id }) => id === role.id))
    throw invalidArgument(`role ${role.name} cannot extend ${base.name}: it would extend itself`);
}

function permissionIds(world: World, names: readonly string[]): string[] {
  const ids = names.map((name) => {
    const permission = world.permissions.findBy('name', name);
    if (!permission) throw invalidArgument(`permission ${name} not found`);
    return permission.id;
  });
  return [...new Set(ids)];
}
