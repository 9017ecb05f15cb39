import { readableTime } from '../../pages/readable-time.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { sendMail, standingOut } from '../mails/send-mail.ts';
import { consentToInvitation, type Inviter } from './invitation-consent.ts';
import { invitationLink } from './invitation-link.ts';

interface Invitation {
  organization: Rows['organizations'];
  user: Rows['users'];
  membership: Rows['memberships'];
  inviter: Inviter;
}

/** What the service sends to the invited user, as far as interceptors allow it. */
export function mailInvitation(
  world: World,
  kind: 'invitation' | 'invitation_reminder',
  { organization, user, membership, inviter }: Invitation,
): void {
  consentToInvitation(world, { organization, user, inviter });
  const { display_name } = organization;
  const { inviter_email, expires_at } = membership;
  const link = invitationLink(world, membership);
  sendMail(world, {
    kind,
    to: user.email,
    subject: `${kind === 'invitation_reminder' ? 'Reminder: ' : ''}You are invited to ${display_name}`,
    paragraphs: [
      inviter_email
        ? `${inviter_email} invited you to join ${display_name}.`
        : `You are invited to join ${display_name}.`,
      standingOut('Accept the invitation', link),
      expires_at && `The invitation is good until ${readableTime(expires_at)}.`,
      'If you did not expect it, ignore this mail: nothing happens.',
    ],
    link,
  });
}
