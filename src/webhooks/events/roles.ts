import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Happening } from '../event-record.ts';
import { verbOf, type ChangeOf, type Unit } from './unit.ts';

type Role = Rows['roles'];
type Permission = Rows['permissions'];

/** An organization's own roles, too; the event does not say whose they are (reference: accounts-connections-events 5.1). */
export function roleEvents(change: ChangeOf<'roles'>, unit: Unit): Happening[] {
  const verb = verbOf(change, ownOf);
  const role = (change.after ?? change.before)!;
  if (!verb || unit.removed('organizations', role.organization_id)) return [];
  return [{ type: `role.${verb}`, data: roleData(role, unit) }];
}

/** Unverified: what a role allows is part of it, whom it is the default of is not. */
const ownOf = ({ default_creator: _, default_member: __, ...own }: Role) => own;

function roleData(role: Role, unit: Unit): EventData<'role.created'> {
  const { id, name, display_name, description, base_role_id } = role;
  // Unverified: null where the role extends none, as other members that are unset.
  return { id, name, display_name, description, extends: unit.find('roles', base_role_id)?.name ?? null };
}

export function permissionEvents(change: ChangeOf<'permissions'>): Happening[] {
  const verb = verbOf(change, (row) => row);
  return verb ? [{ type: `permission.${verb}`, data: permissionData((change.after ?? change.before)!) }] : [];
}

const permissionData = ({ id, name, description }: Permission): EventData<'permission.created'> => ({
  id,
  name,
  description,
});
