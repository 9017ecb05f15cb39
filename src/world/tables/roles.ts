import { cascade, type Tables } from './table-spec.ts';

export const rolesTables = {
  roles: {
    noun: 'role',
    schema: 'RoleRow',
    indexes: { organization_id: (r) => r.organization_id, name: (r) => r.name },
    references: { organization_id: cascade('organizations') },
  },
  permissions: { noun: 'permission', schema: 'PermissionRow', indexes: { name: (p) => p.name } },
} satisfies Pick<Tables, 'roles' | 'permissions'>;
