import type { EventData } from '../../contract/types.ts';
import type { Rows } from '../../state/env.ts';
import { isObject } from '@understudy/text/json';
import { type NewEvent, verbOf, type ChangeOf, type UnitChanges } from './event.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];
type DirectoryUserData = EventData<'organization.directory.user_created'>;

export function directoryUserEvents(change: ChangeOf<'directory_users'>, unit: UnitChanges): NewEvent[] {
  const user = (change.after ?? change.before)!;
  const organization_id = ownerOf(user, unit);
  const verb = verbOf(tracked(change), (row) => row);
  if (!organization_id || !verb) return [];
  if (verb !== 'deleted') {
    const data = userData(user, organization_id, unit);
    return [{ type: `organization.directory.user_${verb}`, organization_id, data }];
  }
  const { id, email, detail = {} } = user;
  const data = { id, organization_id, dp_id: textIn(detail, 'dp_id'), email };
  return [{ type: 'organization.directory.user_deleted', organization_id, data }];
}

/**
 * Unverified (events/untracked-members): untracked users and groups cause no events, nor do changes of the roles that a
 * group grants.
 */
export function directoryGroupEvents(change: ChangeOf<'directory_groups'>, unit: UnitChanges): NewEvent[] {
  const verb = verbOf(tracked(change), ({ role_ids: _, ...shown }) => shown);
  const group = (change.after ?? change.before)!;
  const organization_id = ownerOf(group, unit);
  if (!organization_id || !verb) return [];
  const { id, directory_id, display_name, detail = {} } = group;
  const raw_attributes = objectIn(detail, 'raw_attributes');
  const data = { id, directory_id, display_name, organization_id, raw_attributes };
  const external_id = textIn(detail, 'external_id');
  if (verb === 'deleted') {
    const deleted = { ...data, dp_id: external_id };
    return [{ type: 'organization.directory.group_deleted', organization_id, data: deleted }];
  }
  return [{ type: `organization.directory.group_${verb}`, organization_id, data: { ...data, external_id } }];
}

/** Without rows that the directory does not track. */
const tracked = <R extends User | Group>({
  before,
  after,
}: {
  before: R | undefined;
  after: R | undefined;
}) => ({
  before: before?.external ? undefined : before,
  after: after?.external ? undefined : after,
});

/**
 * Undefined if the directory is deleted in this unit of work. Unverified (events/members-of-deleted-directory): its
 * members then cause no events.
 */
function ownerOf({ directory_id }: User | Group, unit: UnitChanges): string | undefined {
  if (unit.removed('directories', directory_id)) {
    unit.env.decidedBy('events/members-of-deleted-directory');
    return undefined;
  }
  return unit.find('directories', directory_id)?.organization_id;
}

const TEXT_MEMBERS = [
  'nickname',
  'phone_number',
  'title',
  'department',
  'division',
  'cost_center',
  'employee_id',
  'user_type',
  'organization',
  'locale',
  'language',
  'zoneinfo',
  'profile',
] as const;

function userData(user: User, organization_id: string, unit: UnitChanges): DirectoryUserData {
  const { id, email, given_name = '', family_name = '', preferred_username = '', detail = {} } = user;
  const { active } = detail;
  const [picture, address] = [textIn(detail, 'picture'), addressIn(detail)];
  return {
    id,
    organization_id,
    dp_id: textIn(detail, 'dp_id'),
    email,
    active: typeof active === 'boolean' ? active : true,
    name: textIn(detail, 'name') || `${given_name} ${family_name}`.trim(),
    given_name,
    family_name,
    preferred_username,
    ...(picture && { picture }),
    ...(address && { address }),
    ...(Object.fromEntries(TEXT_MEMBERS.map((member) => [member, textIn(detail, member)])) as TextMembers),
    ...groupsAndRoles(user, unit),
    custom_attributes: objectIn(detail, 'custom_attributes'),
    raw_attributes: objectIn(detail, 'raw_attributes'),
  };
}

type TextMembers = Pick<DirectoryUserData, (typeof TEXT_MEMBERS)[number]>;

function groupsAndRoles(
  { group_ids }: User,
  { env }: UnitChanges,
): Pick<DirectoryUserData, 'groups' | 'roles'> {
  const groups = group_ids.map((id) => env.directory_groups.get(id)).filter(({ external }) => !external);
  const role_ids = new Set(groups.flatMap((group) => group.role_ids));
  return {
    groups: groups.map(({ id, display_name }) => ({ id, name: display_name })),
    roles: [...role_ids].map((id) => ({ role_name: env.roles.get(id).name })),
  };
}

type Detail = Record<string, unknown>;

const textIn = (detail: Detail, member: string): string => {
  const value = detail[member];
  return typeof value === 'string' ? value : '';
};

const objectIn = (detail: Detail, member: string): Detail => {
  const value = detail[member];
  return isObject(value) ? value : {};
};

function addressIn(detail: Detail): DirectoryUserData['address'] {
  if (!isObject(detail['address'])) return undefined;
  const [postal_code, state, formatted] = ['postal_code', 'state', 'formatted'].map((member) =>
    textIn(detail['address'] as Detail, member),
  );
  return { postal_code, state, formatted } as DirectoryUserData['address'];
}

/**
 * Unverified (events/directory-events): directories have events for enabling and disabling only. A new directory is
 * enabled; deleting an enabled one disables it.
 */
export function directoryEvents({ before, after }: ChangeOf<'directories'>, unit: UnitChanges): NewEvent[] {
  const { id, organization_id, directory_type, directory_provider } = (after ?? before)!;
  const enabled = after?.enabled ?? false;
  const wasEnabled = before?.enabled ?? false;
  if (enabled === wasEnabled || unit.removed('organizations', organization_id)) return [];
  const data = {
    id,
    directory_type,
    enabled,
    organization_id,
    provider: directory_provider ?? ('DIRECTORY_PROVIDER_UNSPECIFIED' as const),
    updated_at: unit.env.clock.iso(),
  };
  return [{ type: `organization.directory_${enabled ? 'enabled' : 'disabled'}`, organization_id, data }];
}
