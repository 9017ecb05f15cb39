import { alreadyExists, notFound } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { isFilled } from '../is-filled.ts';
import { deviceIn } from '../sign-in/device.ts';
import { admit, roleIds } from './admission.ts';
import { findMembership } from './seats.ts';
import { viewUser } from './user-view.ts';
import { findUser, removeUserIfHomeless } from './users.ts';

type MembershipPath = { organization_id: string } & ({ id: string } | { external_id: string });

export const memberships = {
  UserService_CreateMembership({ path, query, headers, body }, world) {
    const organization = world.organizations.get(path.organization_id);
    const user = findUser(world, path);
    if (findMembership(world, organization.id, user.id)) {
      throw alreadyExists('user already exists in the organization');
    }
    const invited = (query.send_invitation_email ?? true) && deviceIn(headers);
    admit(world, { organization, user, wanted: body, invited });
    return { user: viewUser(world, world.users.get(user.id)) };
  },

  UserService_UpdateMembership({ path, body }, world) {
    const { membership, user } = getMembership(world, path);
    const { roles, metadata } = body;
    // Node's SDK always sends both, empty when nothing is meant: empty is unchanged. Unverified: metadata is replaced.
    world.memberships.update(membership.id, {
      ...(isFilled(roles) && { role_ids: roleIds(world, membership.organization_id, roles) }),
      ...(isFilled(metadata) && { metadata }),
    });
    return { user: viewUser(world, user) };
  },

  UserService_DeleteMembership({ path, query }, world) {
    const { membership, user } = getMembership(world, path);
    world.remove('memberships', membership.id);
    if (query.cascade ?? true) removeUserIfHomeless(world, user.id);
    return {};
  },
} satisfies Partial<Operations>;

/** The membership that a path names; what is missing is told: organization, user, or the membership. */
export function getMembership(world: World, path: MembershipPath) {
  const organization = world.organizations.get(path.organization_id);
  const user = findUser(world, path);
  const membership = findMembership(world, organization.id, user.id);
  if (!membership) throw notFound('membership', `of ${user.id} in ${organization.id}`);
  return { organization, user, membership };
}
