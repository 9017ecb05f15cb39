import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';

/** A user as events tell of them (reference: accounts-connections-events 5.2). */
export function userData(user: Rows['users']): EventData<'user.login'>['user'] {
  const { id, email, external_id = null, metadata, create_time, update_time, last_login_time } = user;
  return {
    id,
    email,
    external_id,
    metadata: filledOrNull(metadata),
    create_time,
    update_time,
    ...(last_login_time && { last_login_time }),
    user_profile: profileData(user.user_profile),
  };
}

function profileData({
  groups,
  metadata,
  custom_attributes,
  ...profile
}: Rows['users']['user_profile']): EventData<'user.login'>['user']['user_profile'] {
  return {
    name: '',
    given_name: '',
    family_name: '',
    email_verified: false,
    phone_number: '',
    phone_number_verified: false,
    picture: '',
    gender: '',
    locale: '',
    preferred_username: '',
    ...profile,
    groups: groups?.length ? groups : null,
    metadata: filledOrNull(metadata),
    custom_attributes: filledOrNull(custom_attributes),
    // Unverified: the service has an item for each connection that the user has come by.
    external_identities: [],
  };
}

const filledOrNull = (map: Record<string, string> | undefined) =>
  map && Object.keys(map).length > 0 ? map : null;
