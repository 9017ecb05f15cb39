import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { failedPrecondition, notFound } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { deviceIn } from '../sign-in/device.ts';
import { refuseWithoutSeat } from './admission.ts';
import { drawInvitationToken, mailInvitation } from './invitation-mail.ts';
import { getMembership } from './memberships.ts';

const MINUTE = 60_000;

export const invitations = {
  UserService_ResendInvite({ path, headers }, env) {
    const { full_stack_auth, invitation_expiry } = env.settings.get('settings');
    if (!full_stack_auth)
      throw failedPrecondition('full-stack authentication is disabled', {
        rows: [rowNamed('settings', { id: 'settings' })],
        needs: { full_stack_auth: true },
      });
    const { organization, user, membership } = getMembership(env, path);
    refuseUnlessOpen(membership);
    if (invitation_expiry === 0)
      throw failedPrecondition('user-management settings have no invitation expiry', {
        rows: [rowNamed('settings', { id: 'settings' })],
      });
    if (isExpired(membership)) refuseWithoutSeat(env, organization);

    const sent = {
      status: 'PENDING_INVITE',
      ...datesOf(membership, env, invitation_expiry),
      resent_at: env.clock.iso(),
      resent_count: membership.resent_count + 1,
    } as const;
    const { status: membership_status, ...changes } = sent;
    const invitation_token = tokenOf(env, membership);
    const resent = env.memberships.update(membership.id, {
      membership_status,
      invitation_token,
      ...changes,
    });
    const kind = isExpired(membership) ? 'invitation' : 'invitation_reminder';
    const inviter = deviceIn(headers);
    mailInvitation(env, kind, { organization, user, membership: resent, inviter });
    const { organization_id, user_id, inviter_email } = membership;
    return { invite: { organization_id, user_id, ...(inviter_email && { inviter_email }), ...sent } };
  },
} satisfies Partial<Operations>;

const isExpired = ({ membership_status }: Rows['memberships']) => membership_status === 'INVITE_EXPIRED';

/** An expired invitation gets a new token, so that its old link stays invalid. */
const tokenOf = (env: Env, membership: Rows['memberships']) =>
  (!isExpired(membership) && membership.invitation_token) || drawInvitationToken(env);

/** A valid invitation is sent again with its dates; an expired one gets new dates. */
function datesOf(membership: Rows['memberships'], env: Env, minutes: number) {
  const fresh = { created_at: env.clock.iso(), expires_at: env.clock.after(minutes * MINUTE) };
  if (isExpired(membership)) return fresh;
  const { created_at = fresh.created_at, expires_at = fresh.expires_at } = membership;
  return { created_at, expires_at };
}

function refuseUnlessOpen(membership: Rows['memberships']): void {
  const { membership_status, created_at, organization_id, user_id } = membership;
  if (membership_status === 'PENDING_INVITE' || membership_status === 'INVITE_EXPIRED') return;
  // Unverified (users/resend-to-inactive-member): inactive members without an invitation count as never invited.
  if (membership_status === 'INACTIVE' && created_at === undefined)
    throw notFound('invitation', `of ${user_id} to ${organization_id}`).decidedBy(
      'users/resend-to-inactive-member',
    );
  throw failedPrecondition('invite already accepted', {
    rows: [rowNamed('memberships', membership)],
    needs: { membership_status: 'PENDING_INVITE' },
  });
}
