import type { ScalekitClient } from '@scalekit-sdk/node';
import { MembershipStatus } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/commons/commons_pb.js';

export interface Invite {
  userId: string;
  email: string;
  label: 'Joined' | 'Invited' | 'Invitation expired';
  canSendAgain: boolean;
}

/** The rows of an organization's members page, one for each member. */
export async function inviteScreen(client: ScalekitClient, organizationId: string): Promise<Invite[]> {
  const { users } = await client.user.listOrganizationUsers(organizationId, { pageSize: 30 });
  return users.map(({ id, email, memberships }) => {
    const status = memberships.find(
      (membership) => membership.organizationId === organizationId,
    )?.membershipStatus;
    const isExpired = status === MembershipStatus.INVITE_EXPIRED;
    const isPending = status === MembershipStatus.PENDING_INVITE;
    const label = isExpired ? 'Invitation expired' : isPending ? 'Invited' : 'Joined';
    return { userId: id, email, label, canSendAgain: isExpired || isPending };
  });
}

export async function sendAgain(
  client: ScalekitClient,
  organizationId: string,
  userId: string,
): Promise<string> {
  try {
    await client.user.resendInvite(organizationId, userId);
    return 'The invitation is on its way.';
  } catch (error) {
    return `Not sent: ${(error as Error).message}`;
  }
}
