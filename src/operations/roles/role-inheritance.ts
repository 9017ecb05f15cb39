import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

type Role = Rows['roles'];

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
 * Permissions of the roles themselves, each once. Unverified: if several roles have it, the first is named.
 */
export function directGrants(env: Env, roles: readonly Role[]): Grant[] {
  const grants = new Map<string, Grant>();
  for (const role of roles) {
    for (const id of role.permission_ids) {
      if (!grants.has(id)) grants.set(id, { permission: env.permissions.get(id), role });
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
