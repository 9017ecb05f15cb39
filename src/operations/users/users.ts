import { alreadyExists, invalidArgument, notFound } from '../../errors.ts';
import type { components } from '../../contract/openapi.gen.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { isFilled } from '../is-filled.ts';
import { deviceIn } from '../sign-in/device.ts';
import { admit } from './admission.ts';
import { findMembership } from './seats.ts';
import { viewUser } from './user-view.ts';

type User = Rows['users'];
type Schemas = components['schemas'];
type UserPath = { id: string } | { external_id: string };

export const users = {
  UserService_CreateUserAndMembership({ path, query, headers, body }, world) {
    const organization = world.organizations.get(path.organization_id);
    const invited = (query.send_invitation_email ?? true) && deviceIn(headers);
    const known = world.users.findBy('email', body.email.toLowerCase());
    if (known && findMembership(world, organization.id, known.id)) {
      throw alreadyExists('user already exists in the organization');
    }
    refuseTaken(world, body.external_id, known);
    // Unverified: an e-mail that is known elsewhere is the same user, who keeps the profile they have.
    const user = known ?? insertUser(world, body);
    admit(world, { organization, user, wanted: body.membership ?? {}, invited });
    return { user: viewUser(world, world.users.get(user.id)) };
  },

  UserService_GetUser({ path }, world) {
    return { user: viewUser(world, findUser(world, path)) };
  },

  UserService_UpdateUser({ path, body }, world) {
    const user = findUser(world, path);
    const { external_id, user_profile, metadata } = body;
    refuseTaken(world, external_id, user);
    // Unverified: maps and lists are replaced as a whole, and an empty external_id is taken away.
    const updated = world.users.update(user.id, {
      update_time: world.clock.iso(),
      ...(external_id !== undefined && { external_id: external_id || undefined }),
      ...(isFilled(metadata) && { metadata }),
      ...(user_profile && { user_profile: { ...user.user_profile, ...changesOf(user_profile) } }),
    });
    return { user: viewUser(world, updated) };
  },

  UserService_DeleteUser({ path }, world) {
    const gone = 'id' in path ? world.deleted_users.find(path.id) : undefined;
    if (gone && !lookUp(world, path)) world.remove('deleted_users', gone.id);
    else world.remove('users', findUser(world, path).id);
    return {};
  },
} satisfies Partial<Operations>;

/** By id or, where the path's `{id}` is none, by the caller's own id for the user. */
export function findUser(world: World, path: UserPath): User {
  const user = lookUp(world, path);
  if (!user) throw notFound('user', keyOf(path));
  return user;
}

/**
 * Someone whose last organization is gone goes with it. Clients that clean up delete the user next, and must not fail:
 * the service only marks such a user for deletion (reference: tenancy-and-errors 3.8).
 */
export function removeUserIfHomeless(world: World, id: string): void {
  if (world.memberships.count('user_id', id) > 0) return;
  world.remove('users', id);
  const gone = { id, delete_time: world.clock.iso() };
  if (world.deleted_users.find(id)) world.deleted_users.replace(gone);
  else world.deleted_users.insert(gone);
}

const keyOf = (path: UserPath) => ('id' in path ? path.id : path.external_id);

function lookUp(world: World, path: UserPath): User | undefined {
  const byId = 'id' in path ? world.users.find(path.id) : undefined;
  return byId ?? world.users.findBy('external_id', keyOf(path));
}

function refuseTaken(world: World, externalId: string | undefined, own: User | undefined): void {
  const taken = externalId ? world.users.findBy('external_id', externalId) : undefined;
  if (taken && taken.id !== own?.id) throw invalidArgument(`duplicate external_id ${externalId}`);
}

export function insertUser(world: World, wanted: Schemas['CreateUser']): User {
  const { external_id, email, metadata = {} } = wanted;
  const now = world.clock.iso();
  const { first_name, last_name, ...profile } = wanted.user_profile ?? {};
  return world.users.insert({
    id: world.draw.id('usr'),
    create_time: now,
    update_time: now,
    email,
    metadata,
    ...(external_id && { external_id }),
    user_profile: {
      ...profile,
      id: world.draw.id('usp'),
      given_name: profile.given_name || first_name || '',
      family_name: profile.family_name || last_name || '',
      email_verified: false,
    },
  });
}

/** What an update gives, by the names that are stored. */
function changesOf({ first_name, last_name, ...given }: Schemas['UpdateUserProfile']) {
  const {
    given_name = first_name,
    family_name = last_name,
    groups,
    metadata,
    custom_attributes,
    ...texts
  } = given;
  return {
    ...texts,
    ...(given_name !== undefined && { given_name }),
    ...(family_name !== undefined && { family_name }),
    ...(isFilled(groups) && { groups }),
    ...(isFilled(metadata) && { metadata }),
    ...(isFilled(custom_attributes) && { custom_attributes }),
  };
}
