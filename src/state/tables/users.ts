import { cascade, forget, type Rows, type Tables } from './table-spec.ts';

export const usersTables = {
  users: {
    noun: 'user',
    schema: 'UserRow',
    indexes: { email: (u) => u.email.toLowerCase(), external_id: (u) => u.external_id },
  },
  deleted_users: { noun: 'deleted user', schema: 'DeletedUserRow', history: 'oldest' },
  memberships: {
    noun: 'membership',
    schema: 'MembershipRow',
    indexes: {
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
  members: {
    noun: 'member',
    schema: 'MemberRow',
    indexes: { email: (m) => m.email.toLowerCase() },
  },
} satisfies Pick<Tables, 'users' | 'deleted_users' | 'memberships' | 'members'>;

/** Active and invited users hold a seat; expired invitations do not (the vendor's guide "User management settings"). */
const holdsSeat = ({ membership_status }: Rows['memberships']) =>
  membership_status === 'ACTIVE' || membership_status === 'PENDING_INVITE';

export const rolesTables = {
  roles: {
    noun: 'role',
    schema: 'RoleRow',
    indexes: {
      scope: (r) => r.organization_id ?? 'environment',
      scoped_name: (r) => `${r.organization_id ?? 'environment'} ${r.name}`,
      default_creator: (r) => (r.default_creator ? 'yes' : undefined),
      default_member: (r) => (r.default_member ? 'yes' : undefined),
    },
    references: {
      organization_id: cascade('organizations'),
      base_role_id: forget('roles'),
      permission_ids: forget('permissions'),
    },
  },
  permissions: {
    noun: 'permission',
    schema: 'PermissionRow',
    indexes: {
      name: (p) => p.name,
      type: (p) => (p.is_scalekit_permission ? 'SCALEKIT' : 'ENVIRONMENT'),
    },
  },
} satisfies Pick<Tables, 'roles' | 'permissions'>;
