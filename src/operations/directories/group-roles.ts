import type { Env, RowChange, Rows } from '../../state/env.ts';
import type { Consequence } from '../../state/units-of-work.ts';
import { defaultMemberRole } from '../roles/role-lookup.ts';
import { findMembership } from '../users/admission.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];

/**
 * Gives members of an organization the roles that the groups of their directory give them, whoever changed a group or
 * who is in it. Unverified (directories/rows-of-testers): a row that a tester or a scenario writes counts as if the
 * provider had sent it.
 */
export const giveRolesOfGroups: Consequence = {
  collections: new Set(['directory_groups', 'directory_users']),
  onSetUp: true,

  *apply(env, changes) {
    const groups = rowsBefore<Group>(changes, 'directory_groups');
    const users = rowsBefore<User>(changes, 'directory_users');
    const touched = new Set(users.keys());
    for (const id of groups.keys()) {
      yield;
      for (const user of env.directory_users.list('group_ids', id)) touched.add(user.id);
    }
    const groupBefore = (id: string) => (groups.has(id) ? groups.get(id) : env.directory_groups.find(id));
    for (const id of touched) {
      yield;
      const user = env.directory_users.find(id);
      const before = users.has(id) ? users.get(id) : user;
      // Whom the provider has removed is in no group any more.
      const after = user ?? (before && { ...before, group_ids: [] });
      if (!after) continue;
      // The members of a deleted role have lost it with the role.
      const had = [...rolesIn(before, groupBefore)].filter((role) => env.roles.has(role));
      reassign(env, after, new Set(had));
    }
  },
};

/** The changed rows of a collection as they were, by id. A new row was not. */
const rowsBefore = <T>(changes: readonly RowChange[], wanted: RowChange['collection']) =>
  new Map(
    changes
      .filter(({ collection }) => collection === wanted)
      .map(({ id, before }) => [id, before as T | undefined]),
  );

function rolesIn(
  user: Pick<User, 'group_ids'> | undefined,
  find: (id: string) => Group | undefined,
): ReadonlySet<string> {
  const groups = (user?.group_ids ?? []).map(find);
  return new Set(groups.flatMap((group) => (group && isTracked(group) ? group.role_ids : [])));
}

export const isTracked = ({ external }: User | Group): boolean => external !== true;

/**
 * Gives a member the roles of their groups and removes the roles that the groups gave before.
 * Unverified (directories/other-roles-stay): roles from elsewhere stay.
 */
function reassign(env: Env, directoryUser: User, before: ReadonlySet<string>): void {
  const now = rolesIn(directoryUser, (id) => env.directory_groups.find(id));
  if (now.size === before.size && [...now].every((id) => before.has(id))) return;
  const directory = env.directories.find(directoryUser.directory_id);
  const user = directory && env.users.findBy('email', directoryUser.email.toLowerCase());
  const membership = user && findMembership(env, directory.organization_id, user.id);
  if (!membership) return;
  const { organization_id } = directory;
  const kept = membership.role_ids.filter((id) => now.has(id) || !before.has(id));
  if (kept.some((id) => !now.has(id))) env.decidedBy('directories/other-roles-stay');
  const role_ids = [...new Set([...kept, ...now])];
  const fallback = defaultMemberRole(env, organization_id);
  const isBare = role_ids.length === 0 && fallback;
  env.memberships.update(membership.id, { role_ids: isBare ? [fallback.id] : role_ids });
}
