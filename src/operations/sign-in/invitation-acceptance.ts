import { ApiError, failedPrecondition } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Membership = Rows['memberships'];

/** The invited user is a member from now on; the invitation has held their seat. Whoever has the mail owns the address. */
export function accept(world: World, { id, user_id }: Membership): Membership {
  refuseUnlessOpen(world.memberships.get(id));
  const { user_profile } = world.users.get(user_id);
  if (!user_profile.email_verified)
    world.users.update(user_id, { user_profile: { ...user_profile, email_verified: true } });
  const now = world.clock.iso();
  return world.memberships.update(id, { membership_status: 'ACTIVE', accepted_at: now, join_time: now });
}

/** Throws `gone` for an invitation that can no longer be accepted. */
export function refuseUnlessOpen({ membership_status, accepted_at }: Membership): void {
  switch (membership_status) {
    case 'PENDING_INVITE':
      return;
    case 'INVITE_EXPIRED':
      throw new ApiError('gone', 'this invitation has expired: ask for a new one');
    case 'ACTIVE':
      throw new ApiError('gone', 'this invitation was accepted already: sign in');
    case 'INACTIVE':
      if (accepted_at) throw new ApiError('gone', 'this invitation was accepted already');
      throw failedPrecondition('this membership is switched off');
  }
}
