import type { Env, Rows } from '../../state/env.ts';
import { invalidArgument, notFound, type ApiError } from '../../contract/errors.ts';
import { shortened } from '@understudy/text/suggestion';

type Role = Rows['roles'];

/** How a request names a role. */
export interface RoleKey {
  id?: string | undefined;
  name?: string | undefined;
}

/** Finds a role by name in one scope: `environment` or the id of an organization. */
export const roleNamed = (env: Env, name: string, scope = 'environment'): Role | undefined =>
  env.roles.findBy('scoped_name', `${scope} ${name}`);

/**
 * Finds a role by id or name, as an organization sees it; without an organization only the environment's
 * roles. Unverified (roles/same-name-in-organization): an organization's own role wins over the environment's of the
 * same name.
 */
export function findRole(
  env: Env,
  organizationId: string | undefined,
  { id, name }: RoleKey,
): Role | undefined {
  const byId = id ? env.roles.find(id) : undefined;
  if (byId && (byId.organization_id === undefined || byId.organization_id === organizationId)) return byId;
  if (!name) return undefined;
  const [own, general] = [roleNamed(env, name, organizationId), roleNamed(env, name)];
  if (own && general && own !== general) env.decidedBy('roles/same-name-in-organization');
  return own ?? general;
}

/**
 * Like `findRole`, for a role in the path: throws `not_found`. Unverified (roles/environment-paths): the paths without an
 * organization do not find organizations' roles.
 */
export function getRole(env: Env, name: string, organizationId?: string): Role {
  const role = findRole(env, organizationId, { name });
  if (role) return role;
  const refusal = notFound('role', name);
  const isElsewhere = organizationId === undefined && env.roles.list().some((each) => each.name === name);
  throw isElsewhere ? refusal.decidedBy('roles/environment-paths') : refusal;
}

/** The refusal for a row that the body or the query names. */
export const absent = (noun: string, name: string): ApiError =>
  invalidArgument(`${noun} ${name} not found`).because({ kind: 'unknown', noun, wanted: shortened(name) });

/** Like `findRole`, for a role in the body or query: throws `invalid_argument`. */
export function requestedRole(env: Env, organizationId: string | undefined, key: RoleKey): Role {
  if (!key.id && !key.name) throw invalidArgument('role has neither a name nor an id');
  const role = findRole(env, organizationId, key);
  if (!role) throw absent('role', key.name || key.id!);
  return role;
}

/** The role of new members: the organization's default, or else the environment's. */
export function defaultMemberRole(env: Env, organizationId: string): Role | undefined {
  const { default_member_role_id: own } = env.organizations.get(organizationId);
  return own === undefined ? env.roles.findBy('default_member', 'yes') : env.roles.get(own);
}

/** A permission and the role that it comes from. */
export interface Grant {
  permission: Rows['permissions'];
  role: Role;
}

/** The roles and everything they extend, each once: the given ones first, then the nearest. */
export function lineage(env: Env, roles: readonly Role[]): Role[] {
  const found = new Map<string, Role>();
  const waiting = [...roles];
  for (let role = waiting.shift(); role; role = waiting.shift()) {
    // Rows set through the control API may contain a cycle.
    if (found.has(role.id)) continue;
    found.set(role.id, role);
    if (role.base_role_id !== undefined) waiting.push(env.roles.get(role.base_role_id));
  }
  return [...found.values()];
}

/**
 * Permissions of the roles themselves, each once. Unverified (roles/permission-of-several-roles): if several roles have
 * it, the first is named.
 */
export function directGrants(env: Env, roles: readonly Role[]): Grant[] {
  const grants = new Map<string, Grant>();
  for (const role of roles) {
    for (const id of role.permission_ids) {
      if (grants.has(id)) env.decidedBy('roles/permission-of-several-roles');
      else grants.set(id, { permission: env.permissions.get(id), role });
    }
  }
  return [...grants.values()];
}

/** Permissions of the roles and of everything they extend, each once. */
export const effectiveGrants = (env: Env, roles: readonly Role[]): Grant[] =>
  directGrants(env, lineage(env, roles));

/** Names only, for memberships and tokens. */
export const effectivePermissions = (env: Env, roles: readonly Role[]): string[] =>
  effectiveGrants(env, roles).map(({ permission }) => permission.name);
