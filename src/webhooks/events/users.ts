import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';

/** The user in event data (shape: the webhooks section of the vendor's OpenAPI document). */
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
    // Unverified: the service lists one item for each connection that the user has signed in with.
    external_identities: [],
  };
}

const filledOrNull = (map: Record<string, string> | undefined) =>
  map && Object.keys(map).length > 0 ? map : null;
