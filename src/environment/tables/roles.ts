import { cascade, forget, type Tables } from './table-spec.ts';

export const rolesTables = {
  roles: {
    noun: 'role',
    schema: 'RoleRow',
    indexes: {
      organization_id: (r) => r.organization_id,
      base_role_id: (r) => r.base_role_id,
      permission_ids: (r) => r.permission_ids,
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
