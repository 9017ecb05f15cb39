import { defaultRoles } from './default-roles.ts';
import { organizationRoles } from './organization-roles.ts';
import { permissions, rolePermissions } from './permissions.ts';
import { roles } from './roles.ts';

export const rolesService = {
  ...roles,
  ...organizationRoles,
  ...defaultRoles,
  ...permissions,
  ...rolePermissions,
};
