import { missingFields } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import type { Operations } from '../handler.ts';
import { requestedRole, type RoleKey } from './role-lookup.ts';
import { viewRole } from './roles.ts';

type Role = Rows['roles'];
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

/** Unverified: only one role has the flag. */
function setDefault(env: Env, flag: DefaultFlag, role: Role): void {
  for (const { id } of env.roles.list(flag, 'yes')) env.roles.update(id, { [flag]: false });
  env.roles.update(role.id, { [flag]: true });
}

function viewDefault(env: Env, flag: DefaultFlag) {
  const role = env.roles.findBy(flag, 'yes');
  return role && { [flag]: viewRole(env, role) };
}
