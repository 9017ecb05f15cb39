import { notFound } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import type { Operations } from '../handler.ts';
import { effectiveGrants, lineage } from '../roles/role-inheritance.ts';
import { requestedRole } from '../roles/role-lookup.ts';
import { viewMembershipRole } from './user-view.ts';
import { getMembership } from './memberships.ts';

interface UserPath {
  organization_id: string;
  user_id: string;
}

export const userRoles = {
  /** The service includes inherited roles. */
  UserService_ListUserRoles({ path }, env) {
    const roles = lineage(env, rolesOf(env, membershipOf(env, path)));
    return { roles: roles.map(viewMembershipRole) };
  },

  UserService_AssignUserRoles({ path, body }, env) {
    const membership = membershipOf(env, path);
    const wanted = body.map(
      ({ id, role_name }) => requestedRole(env, membership.organization_id, { id, name: role_name }).id,
    );
    const role_ids = [...new Set([...membership.role_ids, ...wanted])];
    const updated = env.memberships.update(membership.id, { role_ids });
    // Unverified: this reply has only assigned roles, without inherited ones.
    return { roles: rolesOf(env, updated).map(viewMembershipRole) };
  },

  UserService_RemoveUserRole({ path }, env) {
    const membership = membershipOf(env, path);
    const kept = rolesOf(env, membership).filter(({ name }) => name !== path.role_name);
    // Unverified: the docs do not say what happens if the user does not have the role.
    if (kept.length === membership.role_ids.length)
      throw notFound('role', `${path.role_name} of ${path.user_id}`);
    env.memberships.update(membership.id, { role_ids: kept.map(({ id }) => id) });
    return {};
  },

  UserService_ListUserPermissions({ path }, env) {
    const grants = effectiveGrants(env, rolesOf(env, membershipOf(env, path)));
    const permissions = grants.map(({ permission: { id, name, description } }) => ({
      id,
      name,
      description,
      tags: [],
    }));
    return { permissions };
  },
} satisfies Partial<Operations>;

const membershipOf = (env: Env, { organization_id, user_id }: UserPath) =>
  getMembership(env, { organization_id, id: user_id }).membership;

const rolesOf = (env: Env, { role_ids }: Rows['memberships']) => role_ids.map((id) => env.roles.get(id));
