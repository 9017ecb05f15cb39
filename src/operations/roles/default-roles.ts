import { missingFields } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { wantedRole, type RoleKey } from './role-lookup.ts';
import { viewRole } from './role-view.ts';

type Role = Rows['roles'];
type Flag = 'default_creator' | 'default_member';

export const defaultRoles = {
  RolesService_UpdateDefaultRoles({ body }, world) {
    const creator = keyOf(body.default_creator_role, body.default_creator);
    const member = keyOf(body.default_member_role, body.default_member);
    if (!creator) throw withoutCreator();
    setDefault(world, 'default_creator', wantedRole(world, undefined, creator));
    if (member) setDefault(world, 'default_member', wantedRole(world, undefined, member));
    return { ...viewDefault(world, 'default_creator'), ...viewDefault(world, 'default_member') };
  },

  RolesService_UpdateDefaultOrganizationRoles({ path, body }, world) {
    const organization = world.organizations.get(path.org_id);
    const role = wantedRole(world, organization.id, { name: body.default_member_role });
    world.organizations.update(organization.id, { default_member_role_id: role.id });
    return { default_member: viewRole(world, role, { organizationId: organization.id }) };
  },
} satisfies Partial<Operations>;

/** The name comes before the deprecated object. */
const keyOf = (name: string | undefined, deprecated: RoleKey | undefined): RoleKey | undefined =>
  name === undefined ? deprecated : { name };

/** The contract leaves the member out, and the service wants it all the same (reference: tenancy-and-errors 5.4). */
const withoutCreator = () => missingFields('default_creator_role');

/** Unverified: one role has the mark at a time. */
function setDefault(world: World, flag: Flag, role: Role): void {
  for (const { id } of world.roles.list(flag, 'yes')) world.roles.update(id, { [flag]: false });
  world.roles.update(role.id, { [flag]: true });
}

function viewDefault(world: World, flag: Flag) {
  const role = world.roles.findBy(flag, 'yes');
  return role && { [flag]: viewRole(world, role) };
}
