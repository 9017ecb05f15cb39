import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { effectivePermissions } from '../roles/role-inheritance.ts';

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

export function viewMembership(env: Env, membership: Membership) {
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
