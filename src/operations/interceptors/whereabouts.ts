import type { Rows } from '../../world/schema.ts';
import { deviceType } from './device-type.ts';

/** What interceptors are told of somebody's device and of where it is, as far as that is known. */
export function whereabouts({ user_agent = '', ip, location }: NonNullable<Rows['sessions']['device']> = {}) {
  const { region, city } = location ?? {};
  return {
    user_agent,
    device_type: deviceType(user_agent),
    ...(ip && { ip_address: ip }),
    ...(region && { region }),
    ...(city && { city }),
  };
}
