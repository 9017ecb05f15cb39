import type { Env, Rows } from '../../state/env.ts';
import { missingFields, notFound } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import {
  directGrants,
  effectiveGrants,
  type Grant,
  defaultMemberRole,
  getRole,
  requestedRole,
  type RoleKey,
  roleNamed,
} from './role-lookup.ts';
import { createRole, deleteRole, updateRole } from './role-writing.ts';

/** Roles of the environment. */
export const roles = {
  RolesService_ListRoles({ query }, env) {
    // Go's SDK takes the first two roles for the environment's own.
    const general = env.roles.list('scope', 'environment');
    const special = env.roles.list().filter((role) => role.organization_id !== undefined);
    return { roles: [...general, ...special].map((role) => viewRole(env, role, query)) };
  },

  RolesService_CreateRole({ body }, env) {
    return { role: viewRole(env, createRole(env, body)) };
  },

  RolesService_GetRole({ path, query }, env) {
    return { role: viewRole(env, getRole(env, path.role_name), query) };
  },

  RolesService_UpdateRole({ path, body }, env) {
    return { role: viewRole(env, updateRole(env, getRole(env, path.role_name), body)) };
  },

  RolesService_DeleteRole({ path, query }, env) {
    const heir = { id: query.reassign_role_id, name: query.reassign_role_name };
    deleteRole(env, getRole(env, path.role_name), heir);
    return {};
  },

  RolesService_DeleteRoleBase({ path }, env) {
    env.roles.update(getRole(env, path.role_name).id, { base_role_id: undefined });
    return {};
  },

  RolesService_ListDependentRoles({ path }, env) {
    const dependents = env.roles.list('base_role_id', getRole(env, path.role_name).id);
    return { roles: dependents.map((role) => viewRole(env, role)) };
  },

  RolesService_GetRoleUsersCount({ path }, env) {
    const holders = env.memberships.list('role_ids', getRole(env, path.role_name).id);
    return { count: String(new Set(holders.map(({ user_id }) => user_id)).size) };
  },
} satisfies Partial<Operations>;

type Role = Rows['roles'];

interface RoleViewOptions {
  /** The organization whose default role is shown. */
  organizationId?: string | undefined;
  include?: '' | 'permissions' | 'permissions:all' | undefined;
}

function viewRole(
  env: Env,
  role: Role,
  { organizationId = role.organization_id, include }: RoleViewOptions = {},
) {
  const { id, name, display_name, description, default_creator, base_role_id, organization_id } = role;
  const isDefault = organizationId && defaultMemberRole(env, organizationId)?.id === id;
  return {
    id,
    name,
    display_name,
    description,
    default_creator,
    default_member: organizationId ? Boolean(isDefault) : role.default_member,
    ...(base_role_id !== undefined && { extends: env.roles.get(base_role_id).name }),
    ...(include && { permissions: included(env, role, include).map(viewGrant) }),
    dependent_roles_count: env.roles.count('base_role_id', id),
    is_org_role: organization_id !== undefined,
  };
}

const included = (env: Env, role: Role, include: 'permissions' | 'permissions:all') =>
  include === 'permissions' ? directGrants(env, [role]) : effectiveGrants(env, [role]);

function viewGrant({ permission, role }: Grant) {
  const { is_scalekit_permission: _, ...shown } = permission;
  return { ...shown, role_name: role.name };
}

type DefaultFlag = 'default_creator' | 'default_member';

export const defaultRoles = {
  RolesService_UpdateDefaultRoles({ body }, env) {
    const creator = keyOf(body.default_creator_role, body.default_creator);
    const member = keyOf(body.default_member_role, body.default_member);
    if (!creator) throw withoutCreator();
    setDefault(env, 'default_creator', requestedRole(env, undefined, creator));
    if (member) setDefault(env, 'default_member', requestedRole(env, undefined, member));
    return { ...viewDefault(env, 'default_creator'), ...viewDefault(env, 'default_member') };
  },

  RolesService_UpdateDefaultOrganizationRoles({ path, body }, env) {
    const organization = env.organizations.get(path.org_id);
    const role = requestedRole(env, organization.id, { name: body.default_member_role });
    env.organizations.update(organization.id, { default_member_role_id: role.id });
    return { default_member: viewRole(env, role, { organizationId: organization.id }) };
  },
} satisfies Partial<Operations>;

/** The name takes precedence over the deprecated object. */
const keyOf = (name: string | undefined, deprecated: RoleKey | undefined): RoleKey | undefined =>
  name === undefined ? deprecated : { name };

/** The document calls this field optional, but the service requires it (test of Node's SDK). */
const withoutCreator = () => missingFields('default_creator_role');

/** Unverified (roles/one-default-role): only one role has the flag. */
function setDefault(env: Env, flag: DefaultFlag, role: Role): void {
  for (const { id } of env.roles.list(flag, 'yes')) {
    if (id !== role.id) env.decidedBy('roles/one-default-role');
    env.roles.update(id, { [flag]: false });
  }
  env.roles.update(role.id, { [flag]: true });
}

function viewDefault(env: Env, flag: DefaultFlag) {
  const role = env.roles.findBy(flag, 'yes');
  return role && { [flag]: viewRole(env, role) };
}

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

/** Unverified (roles/organization-paths): the path of an organization also finds the environment's roles. */
function visibleRole(env: Env, { org_id, role_name }: RolePath): Rows['roles'] {
  const role = getRole(env, role_name, env.organizations.get(org_id).id);
  if (role.organization_id === undefined) env.decidedBy('roles/organization-paths');
  return role;
}

/** Unverified (roles/change-inherited-role): the path of an organization changes only its own roles. */
function ownRole(env: Env, { org_id, role_name }: RolePath): Rows['roles'] {
  const role = roleNamed(env, role_name, env.organizations.get(org_id).id);
  if (role) return role;
  const refusal = notFound('role', role_name);
  throw roleNamed(env, role_name) ? refusal.decidedBy('roles/change-inherited-role') : refusal;
}
