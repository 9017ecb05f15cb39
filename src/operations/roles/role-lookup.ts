import { invalidArgument, notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Role = Rows['roles'];

/** How a request names a role. */
export interface RoleKey {
  id?: string | undefined;
  name?: string | undefined;
}

/** The role of that name in one scope: the environment, or an organization, by its id. */
export const roleNamed = (world: World, name: string, scope = 'environment'): Role | undefined =>
  world.roles.findBy('scoped_name', `${scope} ${name}`);

/**
 * By id or name, as an organization sees it; without an organization only roles of the environment.
 * Unverified: an organization's own role comes before the environment's of the same name.
 */
export function findRole(
  world: World,
  organizationId: string | undefined,
  { id, name }: RoleKey,
): Role | undefined {
  const byId = id ? world.roles.find(id) : undefined;
  if (byId && (byId.organization_id === undefined || byId.organization_id === organizationId)) return byId;
  if (!name) return undefined;
  return roleNamed(world, name, organizationId) ?? roleNamed(world, name);
}

/** A role that a path names; as in `findRole`. */
export function getRole(world: World, name: string, organizationId?: string): Role {
  const role = findRole(world, organizationId, { name });
  if (!role) throw notFound('role', name);
  return role;
}

/** A role that a body or a query names: one that is not there makes the request a bad one. */
export function wantedRole(world: World, organizationId: string | undefined, key: RoleKey): Role {
  if (!key.id && !key.name) throw invalidArgument('role has neither a name nor an id');
  const role = findRole(world, organizationId, key);
  if (!role) throw invalidArgument(`role ${key.name || key.id} not found`);
  return role;
}

/** What a new member gets when nothing is asked for: the organization's default before the environment's. */
export function defaultMemberRole(world: World, organizationId: string): Role | undefined {
  const { default_member_role_id: own } = world.organizations.get(organizationId);
  return own === undefined ? world.roles.findBy('default_member', 'yes') : world.roles.get(own);
}
