import { alreadyExists, invalidArgument, notFound } from '../../errors.ts';
import type { components } from '../../contract/openapi.gen.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { admit, viewMembership } from './membership-view.ts';
import { pageSize } from '../page-size.ts';

type User = Rows['users'];
type Profile = Rows['users']['user_profile'];
type CreateUser = components['schemas']['CreateUser'];

export const users = {
  UserService_CreateUserAndMembership({ path, query, body }, world) {
    const organization = world.organizations.get(path.organization_id);
    const invited = query.send_invitation_email ?? true;
    const known = world.users.findBy('email', body.email.toLowerCase());
    if (known && world.memberships.findBy('seat', `${organization.id} ${known.id}`)) {
      throw alreadyExists('user already exists in the organization');
    }
    // Unverified: an e-mail that is known elsewhere is the same user, who keeps the profile they have.
    const user = known ?? insertUser(world, body, !invited);
    admit(world, { organization, user, wanted: body.membership ?? {}, invited });
    return { user: viewUser(world, world.users.get(user.id)) };
  },

  UserService_GetUser({ path }, world) {
    return { user: viewUser(world, findUser(world, path)) };
  },

  UserService_ListOrganizationUsers({ path, query }, world) {
    const organization = world.organizations.get(path.organization_id);
    const request = { size: pageSize(query.page_size, world), token: query.page_token };
    const { rows, ...rest } = page(world.memberships, {
      ...request,
      by: ['organization_id', organization.id],
    });
    return { ...rest, users: rows.map(({ user_id }) => viewUser(world, world.users.get(user_id))) };
  },
} satisfies Partial<Operations>;

/** By id or, where the path's `{id}` is none, by the caller's own id for the user. */
export function findUser(world: World, path: { id: string } | { external_id: string }): User {
  const key = 'id' in path ? path.id : path.external_id;
  const user = ('id' in path ? world.users.find(key) : undefined) ?? world.users.findBy('external_id', key);
  if (!user) throw notFound('user', key);
  return user;
}

/** Someone whose last organization is gone goes with it. */
export function removeUserIfHomeless(world: World, id: string): void {
  if (world.memberships.count('user_id', id) === 0) world.remove('users', id);
}

export function viewUser(world: World, user: User) {
  return {
    ...user,
    environment_id: world.settings.get('settings').environment_id,
    memberships: world.memberships
      .list('user_id', user.id)
      .map((membership) => viewMembership(world, membership)),
    user_profile: viewProfile(user.user_profile),
  };
}

/** Both pairs of names are live: each mirrors the other (reference: tenancy-and-errors 3.1). */
function viewProfile(profile: Profile) {
  const { given_name = '', family_name = '' } = profile;
  return {
    name: '',
    locale: '',
    email_verified: false,
    phone_number: '',
    metadata: {},
    custom_attributes: {},
    preferred_username: '',
    phone_number_verified: false,
    picture: '',
    groups: [],
    gender: '',
    external_identities: [],
    ...profile,
    given_name,
    family_name,
    first_name: given_name,
    last_name: family_name,
  };
}

function insertUser(world: World, wanted: CreateUser, emailVerified: boolean): User {
  const { external_id } = wanted;
  if (external_id && world.users.findBy('external_id', external_id)) {
    throw invalidArgument(`duplicate external_id ${external_id}`);
  }
  const now = world.clock.iso();
  const { first_name, last_name, ...profile } = wanted.user_profile ?? {};
  return world.users.insert({
    id: world.draw.id('usr'),
    create_time: now,
    update_time: now,
    email: wanted.email,
    metadata: wanted.metadata ?? {},
    ...(external_id && { external_id }),
    user_profile: {
      ...profile,
      id: world.draw.id('usp'),
      given_name: profile.given_name || first_name || '',
      family_name: profile.family_name || last_name || '',
      email_verified: emailVerified,
    },
  });
}
