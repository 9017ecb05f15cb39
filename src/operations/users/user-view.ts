import type { Env, Rows } from '../../state/env.ts';
import { page, type Page } from '../../rows/page.ts';
import type { Operations } from '../handler.ts';
import { listing, searching, textSearch } from '../lists.ts';
import { effectivePermissions } from '../roles/role-lookup.ts';

export function viewUser(env: Env, user: Rows['users']) {
  return {
    ...user,
    environment_id: env.settings.get('settings').environment_id,
    memberships: env.memberships
      .list('user_id', user.id)
      .map((membership) => viewMembership(env, membership)),
    user_profile: viewProfile(user.user_profile),
  };
}

/** Either pair of names may be set; the view mirrors it to the other. */
function viewProfile(profile: Rows['users']['user_profile']) {
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

type Membership = Rows['memberships'];

function viewMembership(env: Env, membership: Membership) {
  const {
    id: _,
    user_id: __,
    role_ids,
    resent_at: ___,
    resent_count: ____,
    ...shown
  } = withoutProof(membership);
  const { display_name } = env.organizations.get(membership.organization_id);
  const roles = role_ids.map((id) => env.roles.get(id));
  return {
    ...shown,
    name: display_name,
    display_name,
    roles: roles.map(viewMembershipRole),
    permissions: effectivePermissions(env, roles),
  };
}

/** Removes what proves the member's identity. */
const withoutProof = ({ invitation_token: _, proved_connection_ids: __, ...membership }: Membership) =>
  membership;

export const viewMembershipRole = ({ id, name, display_name }: Rows['roles']) => ({ id, name, display_name });

type User = Rows['users'];

export const userLists = {
  UserService_ListUsers({ query }, env) {
    return viewPage(env, page(env.users, listing(query, env)));
  },

  UserService_SearchUsers({ query }, env) {
    const where = searchUsers(query.query);
    return viewPage(env, page(env.users, { ...searching(query, env), where }));
  },

  UserService_ListOrganizationUsers({ path, query }, env) {
    const { id } = env.organizations.get(path.organization_id);
    return viewMembers(env, page(env.memberships, { ...listing(query, env), by: ['organization_id', id] }));
  },

  UserService_SearchOrganizationUsers({ path, query }, env) {
    const { id } = env.organizations.get(path.organization_id);
    const isFound = searchUsers(query.query);
    const where = ({ user_id }: Rows['memberships']) => isFound(env.users.get(user_id));
    return viewMembers(
      env,
      page(env.memberships, { ...searching(query, env), by: ['organization_id', id], where }),
    );
  },
} satisfies Partial<Operations>;

/** Searches e-mail, id and external id, but not names (comment in the vendor's .proto files). */
const searchUsers = textSearch<User>(({ email, id, external_id }) => [email, id, external_id]);

const viewPage = (env: Env, { rows, ...rest }: Page<User>) => ({
  ...rest,
  users: rows.map((user) => viewUser(env, user)),
});

const viewMembers = (env: Env, { rows, ...rest }: Page<Rows['memberships']>) =>
  viewPage(env, { ...rest, rows: rows.map(({ user_id }) => env.users.get(user_id)) });
