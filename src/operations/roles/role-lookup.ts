import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Role = Rows['roles'];

/** By id or name. Unverified: an organization's own role comes before the environment's of the same name. */
export function findRole(
  world: World,
  organizationId: string,
  { id, name }: { id?: string | undefined; name?: string | undefined },
): Role | undefined {
  const usable = (role: Role) =>
    role.organization_id === undefined || role.organization_id === organizationId;
  const byId = id ? world.roles.find(id) : undefined;
  if (byId && usable(byId)) return byId;
  if (!name) return undefined;
  const named = world.roles.list('name', name).filter(usable);
  return named.find((role) => role.organization_id === organizationId) ?? named[0];
}

/** What a new member gets when nothing is asked for: the organization's default before the environment's. */
export function defaultMemberRole(world: World, organizationId: string): Role[] {
  const own = world.roles.list('organization_id', organizationId).find((role) => role.default_member);
  const general = world.roles
    .list()
    .find((role) => role.default_member && role.organization_id === undefined);
  const role = own ?? general;
  return role ? [role] : [];
}

/** Permissions of the roles and of all that they extend, each once. */
export function effectivePermissions(world: World, organizationId: string, roles: readonly Role[]): string[] {
  const seen = new Set<string>();
  const permissions = new Set<string>();
  const waiting = [...roles];
  for (let role = waiting.shift(); role; role = waiting.shift()) {
    if (seen.has(role.id)) continue;
    seen.add(role.id);
    for (const permission of role.permissions) permissions.add(permission);
    const base = role.extends ? findRole(world, organizationId, { name: role.extends }) : undefined;
    if (base) waiting.push(base);
  }
  return [...permissions];
}
