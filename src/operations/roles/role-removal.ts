import { failedPrecondition } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { lineage } from './role-inheritance.ts';
import { wantedRole, type RoleKey } from './role-lookup.ts';

type Role = Rows['roles'];

/** A role in use goes only when another takes its place. */
export function deleteRole(world: World, role: Role, { id, name }: RoleKey): void {
  // Unverified: the service does not say what becomes of the environment's defaults.
  if (role.default_creator || role.default_member)
    throw failedPrecondition('role cannot be deleted as it is a default role of the environment');
  const heir = id || name ? wantedRole(world, role.organization_id, { id, name }) : undefined;
  if (heir?.id === role.id) throw failedPrecondition('role cannot be deleted and take its own place');
  if (heir) passOn(world, role, heir);
  else refuseInUse(world, role);
  world.remove('roles', role.id);
}

function refuseInUse(world: World, { id }: Role): void {
  if (world.memberships.count('role_ids', id) > 0)
    throw failedPrecondition('role cannot be deleted as it is assigned to users');
  if (world.roles.count('base_role_id', id) > 0)
    throw failedPrecondition('role cannot be deleted as other roles extend it');
}

function passOn(world: World, role: Role, heir: Role): void {
  for (const membership of world.memberships.list('role_ids', role.id)) {
    const ids = membership.role_ids.map((id) => (id === role.id ? heir.id : id));
    world.memberships.update(membership.id, { role_ids: [...new Set(ids)] });
  }
  // A role that the heir itself stands on can't stand on the heir: it gets the base of the one that goes.
  const above = new Set(lineage(world, [heir]).map(({ id }) => id));
  // Unverified: roles that extended the one that goes extend the one that takes its place.
  for (const dependent of world.roles.list('base_role_id', role.id)) {
    const base_role_id = above.has(dependent.id) ? role.base_role_id : heir.id;
    world.roles.update(dependent.id, { base_role_id });
  }
}
