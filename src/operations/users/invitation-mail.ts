import type { Env, Rows } from '../../state/env.ts';
import { readableTime } from '../../pages/controls.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { askInterceptors, deviceData } from '../interceptors/ask.ts';
import { sendMail, highlightedLine } from '../mails.ts';
import type { Device } from '../sign-in/device.ts';

interface Invitation {
  organization: Rows['organizations'];
  user: Rows['users'];
  membership: Rows['memberships'];
  inviter: Inviter;
}

/** Mails the invitation, if interceptors allow it. */
export function mailInvitation(
  env: Env,
  kind: 'invitation' | 'invitation_reminder',
  { organization, user, membership, inviter }: Invitation,
): void {
  consentToInvitation(env, { organization, user, inviter });
  const { display_name } = organization;
  const { inviter_email, expires_at } = membership;
  const link = invitationLink(env, membership);
  sendMail(env, {
    kind,
    to: user.email,
    subject: `${kind === 'invitation_reminder' ? 'Reminder: ' : ''}You are invited to ${display_name}`,
    paragraphs: [
      inviter_email
        ? `${inviter_email} invited you to join ${display_name}.`
        : `You are invited to join ${display_name}.`,
      highlightedLine('Accept the invitation', link),
      expires_at && `The invitation is valid until ${readableTime(expires_at)}.`,
      'If you did not expect it, ignore this mail: nothing happens.',
    ],
    link,
  });
}

export const drawInvitationToken = (env: Env) => withEnvironmentName(env, env.draw.text(40));

/** Where an invited user accepts; undefined for rows that were written without a token. */
const invitationLink = ({ baseUrl }: Env, { invitation_token }: Rows['memberships']): string | undefined =>
  invitation_token && `${baseUrl}/ui/invitation/${invitation_token}`;

/** The device that the invitation comes from. */
export type Inviter = Device;

/** Asks interceptors whether the user may be invited (again). Throws `InterceptorDenial`. */
function consentToInvitation(
  env: Env,
  { organization, user, inviter }: Omit<Invitation, 'membership'>,
): void {
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
