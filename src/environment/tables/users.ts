import type { Rows } from './table-spec.ts';
import { cascade, forget, type Tables } from './table-spec.ts';

export const usersTables = {
  users: {
    noun: 'user',
    schema: 'UserRow',
    indexes: { email: (u) => u.email.toLowerCase(), external_id: (u) => u.external_id },
  },
  deleted_users: { noun: 'deleted user', schema: 'DeletedUserRow', history: 'oldest', indexes: {} },
  memberships: {
    noun: 'membership',
    schema: 'MembershipRow',
    indexes: {
      organization_id: (m) => m.organization_id,
      user_id: (m) => m.user_id,
      role_ids: (m) => m.role_ids,
      proved_connection_ids: (m) => m.proved_connection_ids,
      invitation_token: (m) => m.invitation_token,
      seat: (m) => `${m.organization_id} ${m.user_id}`,
      seated_in: (m) => (holdsSeat(m) ? m.organization_id : undefined),
    },
    references: {
      organization_id: cascade('organizations'),
      user_id: cascade('users'),
      role_ids: forget('roles'),
      proved_connection_ids: forget('connections'),
    },
    deadline: {
      at: (m) => (m.membership_status === 'PENDING_INVITE' ? m.expires_at : undefined),
      expired: (m) => ({ ...m, membership_status: 'INVITE_EXPIRED' }),
    },
  },
} satisfies Pick<Tables, 'users' | 'deleted_users' | 'memberships'>;

/** Active and invited users hold a seat; expired invitations do not (the vendor's guide "User management settings"). */
const holdsSeat = ({ membership_status }: Rows['memberships']) =>
  membership_status === 'ACTIVE' || membership_status === 'PENDING_INVITE';
