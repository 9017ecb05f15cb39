import { notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { effectiveGrants, lineage } from '../roles/role-inheritance.ts';
import { wantedRole } from '../roles/role-lookup.ts';
import { viewMembershipRole } from './membership-view.ts';
import { getMembership } from './memberships.ts';

interface UserPath {
  organization_id: string;
  user_id: string;
}

export const userRoles = {
  /** The service tells inherited roles too. */
  UserService_ListUserRoles({ path }, world) {
    const roles = lineage(world, rolesOf(world, membershipOf(world, path)));
    return { roles: roles.map(viewMembershipRole) };
  },

  UserService_AssignUserRoles({ path, body }, world) {
    const membership = membershipOf(world, path);
    const wanted = body.map(
      ({ id, role_name }) => wantedRole(world, membership.organization_id, { id, name: role_name }).id,
    );
    const role_ids = [...new Set([...membership.role_ids, ...wanted])];
    const updated = world.memberships.update(membership.id, { role_ids });
    // Unverified: here the roles that were assigned are told, without those that they extend.
    return { roles: rolesOf(world, updated).map(viewMembershipRole) };
  },

  UserService_RemoveUserRole({ path }, world) {
    const membership = membershipOf(world, path);
    const kept = rolesOf(world, membership).filter(({ name }) => name !== path.role_name);
    // Unverified: the service does not say what it does when the user does not have the role.
    if (kept.length === membership.role_ids.length)
      throw notFound('role', `${path.role_name} of ${path.user_id}`);
    world.memberships.update(membership.id, { role_ids: kept.map(({ id }) => id) });
    return {};
  },

  UserService_ListUserPermissions({ path }, world) {
    const grants = effectiveGrants(world, rolesOf(world, membershipOf(world, path)));
    const permissions = grants.map(({ permission: { id, name, description } }) => ({
      id,
      name,
      description,
      tags: [],
    }));
    return { permissions };
  },
} satisfies Partial<Operations>;

const membershipOf = (world: World, { organization_id, user_id }: UserPath) =>
  getMembership(world, { organization_id, id: user_id }).membership;

const rolesOf = (world: World, { role_ids }: Rows['memberships']) =>
  role_ids.map((id) => world.roles.get(id));
