import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { notFound } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { getRole, roleNamed } from './role-lookup.ts';
import { createRole, deleteRole, updateRole } from './role-writing.ts';
import { viewRole } from './roles.ts';

interface RolePath {
  org_id: string;
  role_name: string;
}

/** Roles as an organization sees them: its own, and the environment's, which it cannot change. */
export const organizationRoles = {
  RolesService_ListOrganizationRoles({ path, query }, env) {
    const { id: organizationId } = env.organizations.get(path.org_id);
    const { include } = query;
    const general = env.roles.list('scope', 'environment');
    const own = env.roles.list('organization_id', organizationId);
    const roles = [...general, ...own].map((role) => viewRole(env, role, { organizationId, include }));
    return { roles };
  },

  RolesService_CreateOrganizationRole({ path, body }, env) {
    const organization = env.organizations.get(path.org_id);
    return { role: viewRole(env, createRole(env, body, organization.id)) };
  },

  RolesService_GetOrganizationRole({ path, query }, env) {
    const { include } = query;
    return { role: viewRole(env, visibleRole(env, path), { organizationId: path.org_id, include }) };
  },

  RolesService_UpdateOrganizationRole({ path, body }, env) {
    return { role: viewRole(env, updateRole(env, ownRole(env, path), body)) };
  },

  RolesService_DeleteOrganizationRole({ path, query }, env) {
    deleteRole(env, ownRole(env, path), { name: query.reassign_role_name });
    return {};
  },

  RolesService_DeleteOrganizationRoleBase({ path }, env) {
    env.roles.update(ownRole(env, path).id, { base_role_id: undefined });
    return {};
  },

  RolesService_GetOrganizationRoleUsersCount({ path }, env) {
    const { id } = visibleRole(env, path);
    const members = env.memberships.list('organization_id', path.org_id);
    return { count: String(members.filter(({ role_ids }) => role_ids.includes(id)).length) };
  },
} satisfies Partial<Operations>;

/** Unverified: the path of an organization also finds the environment's roles. */
const visibleRole = (env: Env, { org_id, role_name }: RolePath): Rows['roles'] =>
  getRole(env, role_name, env.organizations.get(org_id).id);

/** Unverified: the path of an organization changes only its own roles. */
function ownRole(env: Env, { org_id, role_name }: RolePath): Rows['roles'] {
  const role = roleNamed(env, role_name, env.organizations.get(org_id).id);
  if (!role) throw notFound('role', role_name);
  return role;
}
