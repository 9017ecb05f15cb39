import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { NewEvent } from '../event-record.ts';
import { verbOf, type ChangeOf, type UnitChanges } from './unit.ts';

type Role = Rows['roles'];
type Permission = Rows['permissions'];

/** Also for an organization's own roles; role events carry no organization_id (the vendor's OpenAPI document). */
export function roleEvents(change: ChangeOf<'roles'>, unit: UnitChanges): NewEvent[] {
  const verb = verbOf(change, ownFields);
  const role = (change.after ?? change.before)!;
  if (!verb || unit.removed('organizations', role.organization_id)) return [];
  return [{ type: `role.${verb}`, data: roleData(role, unit) }];
}

/** Unverified: permissions are part of the role; default assignments are not. */
const ownFields = ({ default_creator: _, default_member: __, ...own }: Role) => own;

function roleData(role: Role, unit: UnitChanges): EventData<'role.created'> {
  const { id, name, display_name, description, base_role_id } = role;
  // Unverified: null if the role extends no other, like other unset members.
  return { id, name, display_name, description, extends: unit.find('roles', base_role_id)?.name ?? null };
}

export function permissionEvents(change: ChangeOf<'permissions'>): NewEvent[] {
  const verb = verbOf(change, (row) => row);
  return verb ? [{ type: `permission.${verb}`, data: permissionData((change.after ?? change.before)!) }] : [];
}

const permissionData = ({ id, name, description }: Permission): EventData<'permission.created'> => ({
  id,
  name,
  description,
});
