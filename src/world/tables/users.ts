import { cascade, forget, type Tables } from './table-spec.ts';

export const usersTables = {
  users: {
    noun: 'user',
    schema: 'UserRow',
    indexes: { email: (u) => u.email.toLowerCase(), external_id: (u) => u.external_id },
  },
  memberships: {
    noun: 'membership',
    schema: 'MembershipRow',
    indexes: {
      organization_id: (m) => m.organization_id,
      user_id: (m) => m.user_id,
      role_ids: (m) => m.role_ids,
      seat: (m) => `${m.organization_id} ${m.user_id}`,
    },
    references: {
      organization_id: cascade('organizations'),
      user_id: cascade('users'),
      role_ids: forget('roles'),
    },
    deadline: {
      at: (m) => (m.membership_status === 'PENDING_INVITE' ? m.expires_at : undefined),
      expired: (m) => ({ ...m, membership_status: 'INVITE_EXPIRED' }),
    },
  },
} satisfies Pick<Tables, 'users' | 'memberships'>;
