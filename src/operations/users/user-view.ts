import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { viewMembership } from './membership-view.ts';

export function viewUser(world: World, user: Rows['users']) {
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
