import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

interface Invitation {
  organization: Rows['organizations'];
  user: Rows['users'];
  membership: Rows['memberships'];
}

/** Keeps what the service would have sent to the invited user. */
export function mailInvitation(
  world: World,
  kind: 'invitation' | 'invitation_reminder',
  { organization, user, membership }: Invitation,
): void {
  const reminder = kind === 'invitation_reminder' ? 'Reminder: ' : '';
  const by = membership.inviter_email ? ` by ${membership.inviter_email}` : '';
  const until = membership.expires_at ? ` The invitation is good until ${membership.expires_at}.` : '';
  world.mails.insert({
    id: world.draw.id('mail'),
    kind,
    to: user.email,
    subject: `${reminder}You are invited to ${organization.display_name}`,
    text: `You were invited${by} to join ${organization.display_name}.${until}`,
    time: world.clock.iso(),
  });
}
