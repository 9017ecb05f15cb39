import type { Env, Rows } from '../../state/env.ts';
import { notFound } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';
import type { Operations } from '../handler.ts';
import { isFilled } from '../lists.ts';
import { effectiveGrants, lineage, requestedRole } from '../roles/role-lookup.ts';
import { deviceIn } from '../sign-in/device.ts';
import { admit, findMembership, roleIds } from './admission.ts';
import { viewUser, viewMembershipRole } from './user-view.ts';
import { findUser, removeUserWithoutMemberships } from './users.ts';

type MembershipPath = { organization_id: string } & ({ id: string } | { external_id: string });

export const memberships = {
  UserService_CreateMembership({ path, query, headers, body }, env) {
    const organization = env.organizations.get(path.organization_id);
    const user = findUser(env, path);
    const member = findMembership(env, organization.id, user.id);
    if (member)
      throw taken(
        env,
        'membership',
        { key: user.id, where: member.organization_id, by: member },
        'memberships',
      );
    const invited = (query.send_invitation_email ?? true) && deviceIn(headers);
    admit(env, { organization, user, wanted: body, invited });
    return { user: viewUser(env, env.users.get(user.id)) };
  },

  UserService_UpdateMembership({ path, body }, env) {
    const { membership, user } = getMembership(env, path);
    const { roles, metadata } = body;
    // Node's SDK always sends both fields, so an empty one changes nothing. Unverified (users/membership-metadata):
    // metadata is replaced.
    if (isFilled(metadata)) env.decidedBy('users/membership-metadata');
    env.memberships.update(membership.id, {
      ...(isFilled(roles) && { role_ids: roleIds(env, membership.organization_id, roles) }),
      ...(isFilled(metadata) && { metadata }),
    });
    return { user: viewUser(env, user) };
  },

  UserService_DeleteMembership({ path, query }, env) {
    const { membership, user } = getMembership(env, path);
    env.remove('memberships', membership.id);
    if (query.cascade ?? true) removeUserWithoutMemberships(env, user.id);
    return {};
  },
} satisfies Partial<Operations>;

/**
 * The membership of a path. The error says whether the organization, the user or the membership is missing.
 */
export function getMembership(env: Env, path: MembershipPath) {
  const organization = env.organizations.get(path.organization_id);
  const user = findUser(env, path);
  const membership = findMembership(env, organization.id, user.id);
  if (!membership) throw notFound('membership', `of ${user.id} in ${organization.id}`);
  return { organization, user, membership };
}

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
    // Unverified (users/assigned-roles-in-reply): this reply has only assigned roles, without inherited ones.
    env.decidedBy('users/assigned-roles-in-reply');
    return { roles: rolesOf(env, updated).map(viewMembershipRole) };
  },

  UserService_RemoveUserRole({ path }, env) {
    const membership = membershipOf(env, path);
    const kept = rolesOf(env, membership).filter(({ name }) => name !== path.role_name);
    // Unverified (users/remove-absent-role): the docs do not say what happens if the user does not have the role.
    if (kept.length === membership.role_ids.length)
      throw notFound('role', `${path.role_name} of ${path.user_id}`).decidedBy('users/remove-absent-role');
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
