import type { Env } from '../../environment/env.ts';
import { alreadyExists, notFound } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { isFilled } from '../lists.ts';
import { deviceIn } from '../sign-in/device.ts';
import { admit, findMembership, roleIds } from './admission.ts';
import { viewUser } from './user-view.ts';
import { findUser, removeUserWithoutMemberships } from './users.ts';

type MembershipPath = { organization_id: string } & ({ id: string } | { external_id: string });

export const memberships = {
  UserService_CreateMembership({ path, query, headers, body }, env) {
    const organization = env.organizations.get(path.organization_id);
    const user = findUser(env, path);
    if (findMembership(env, organization.id, user.id)) {
      throw alreadyExists('user already exists in the organization');
    }
    const invited = (query.send_invitation_email ?? true) && deviceIn(headers);
    admit(env, { organization, user, wanted: body, invited });
    return { user: viewUser(env, env.users.get(user.id)) };
  },

  UserService_UpdateMembership({ path, body }, env) {
    const { membership, user } = getMembership(env, path);
    const { roles, metadata } = body;
    // Node's SDK always sends both fields, so an empty one changes nothing. Unverified: metadata is replaced.
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
