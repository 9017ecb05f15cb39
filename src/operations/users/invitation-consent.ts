import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { askInterceptors } from '../interceptors/ask.ts';
import { deviceData } from '../interceptors/call-data.ts';
import type { Device } from '../sign-in/device.ts';

/** The device that the invitation comes from. */
export type Inviter = Device;

interface Invitation {
  organization: Rows['organizations'];
  user: Rows['users'];
  inviter: Inviter;
}

/** Asks interceptors whether the user may be invited (again). Throws `InterceptorDenial`. */
export function consentToInvitation(env: Env, { organization, user, inviter }: Invitation): void {
  const { id: organization_id, display_name: name } = organization;
  askInterceptors(env, 'PRE_USER_INVITATION', () => ({
    context: {
      ...(isMemberElsewhere(env, user, organization_id) && { user_id: user.id }),
      user_email: user.email,
      organization_id,
      ...deviceData(inviter),
    },
    data: { organization: { id: organization_id, name } },
  }));
}

/** A user with no other membership exists only because of this invitation. */
const isMemberElsewhere = (env: Env, { id }: Rows['users'], here: string) =>
  env.memberships.list('user_id', id).some(({ organization_id }) => organization_id !== here);
