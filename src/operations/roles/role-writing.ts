import { rowNamed } from '../../contract/cause.ts';
import type { components } from '../../contract/openapi.gen.ts';
import type { Env, Rows } from '../../state/env.ts';
import { failedPrecondition, invalidArgument } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';
import { absent, lineage, findRole, roleNamed, requestedRole, type RoleKey } from './role-lookup.ts';

type Role = Rows['roles'];
type CreateRole = components['schemas']['CreateRole'];
type UpdateRole = components['schemas']['UpdateRole'];

/** Creates a role of the environment or, if its id is given, of an organization. */
export function createRole(env: Env, wanted: CreateRole, organizationId?: string): Role {
  const { name, display_name, description = '', permissions = [] } = wanted;
  const by = roleNamed(env, name, organizationId);
  if (by) throw taken(env, 'role', { key: name, by }, 'roles');
  const base = wanted.extends === undefined ? undefined : findBase(env, wanted.extends, organizationId);
  return env.roles.insert({
    id: env.draw.id('role'),
    ...(organizationId && { organization_id: organizationId }),
    name,
    display_name,
    description,
    ...(base && { base_role_id: base.id }),
    default_creator: false,
    default_member: false,
    permission_ids: permissionIds(env, permissions),
  });
}

/** Missing fields stay. An empty list removes all permissions. */
export function updateRole(env: Env, role: Role, wanted: UpdateRole): Role {
  const { display_name, description, permissions } = wanted;
  const base = wanted.extends === undefined ? undefined : findBase(env, wanted.extends, role.organization_id);
  if (base) refuseCircle(env, role, base);
  return env.roles.update(role.id, {
    ...(display_name !== undefined && { display_name }),
    ...(description !== undefined && { description }),
    ...(base && { base_role_id: base.id }),
    ...(permissions && { permission_ids: permissionIds(env, permissions) }),
  });
}

function findBase(env: Env, name: string, organizationId: string | undefined): Role {
  const base = findRole(env, organizationId, { name });
  if (!base) throw absent('base role', name);
  return base;
}

function refuseCircle(env: Env, role: Role, base: Role): void {
  // Unverified (roles/inheritance-cycle): the docs describe inheritance over several levels, and say nothing about
  // cycles.
  if (lineage(env, [base]).some(({ id }) => id === role.id))
    throw invalidArgument(`role ${role.name} cannot extend ${base.name}: it would extend itself`).decidedBy(
      'roles/inheritance-cycle',
    );
}

function permissionIds(env: Env, names: readonly string[]): string[] {
  const ids = names.map((name) => {
    const permission = env.permissions.findBy('name', name);
    if (!permission) throw absent('permission', name);
    return permission.id;
  });
  return [...new Set(ids)];
}

/** A role in use can only be deleted if another one replaces it. */
export function deleteRole(env: Env, role: Role, { id, name }: RoleKey): void {
  // Unverified (roles/delete-default-role): the docs do not say what happens to the environment's defaults.
  if (role.default_creator || role.default_member)
    throw failedPrecondition('role cannot be deleted as it is a default role of the environment', {
      rows: [rowNamed('roles', role)],
      needs: { default_creator: false, default_member: false },
      leads: ['RolesService_UpdateDefaultRoles'],
    }).decidedBy('roles/delete-default-role');
  const heir = id || name ? requestedRole(env, role.organization_id, { id, name }) : undefined;
  if (heir?.id === role.id)
    throw failedPrecondition('role cannot be replaced by itself', { rows: [rowNamed('roles', role)] });
  if (heir) replaceRole(env, role, heir);
  else refuseInUse(env, role);
  env.remove('roles', role.id);
}

function refuseInUse(env: Env, { id }: Role): void {
  const member = env.memberships.list('role_ids', id)[0];
  if (member)
    throw failedPrecondition('role cannot be deleted as it is assigned to users', {
      rows: [rowNamed('memberships', member)],
      leads: ['UserService_UpdateMembership'],
    });
  const extending = env.roles.list('base_role_id', id)[0];
  if (extending)
    throw failedPrecondition('role cannot be deleted as other roles extend it', {
      rows: [rowNamed('roles', extending)],
      leads: ['RolesService_DeleteRoleBase'],
    });
}

function replaceRole(env: Env, role: Role, heir: Role): void {
  for (const membership of env.memberships.list('role_ids', role.id)) {
    const ids = membership.role_ids.map((id) => (id === role.id ? heir.id : id));
    env.memberships.update(membership.id, { role_ids: [...new Set(ids)] });
  }
  // The replacement must not extend itself: if it extends the deleted role, it gets the deleted role's base.
  const above = new Set(lineage(env, [heir]).map(({ id }) => id));
  // Unverified (roles/dependents-of-deleted-role): roles that extended the deleted role now extend its replacement.
  for (const dependent of env.roles.list('base_role_id', role.id)) {
    env.decidedBy('roles/dependents-of-deleted-role');
    const base_role_id = above.has(dependent.id) ? role.base_role_id : heir.id;
    env.roles.update(dependent.id, { base_role_id });
  }
}
