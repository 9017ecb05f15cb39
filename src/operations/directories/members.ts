import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../page-size.ts';
import { findDirectory } from './directory-lookup.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];

export const members = {
  DirectoryService_ListDirectoryUsers({ path, query }, world) {
    const { id } = findDirectory(world, path.organization_id, path.directory_id);
    const { directory_group_id: group, include_detail = false } = query;
    // Unverified: a group that the directory does not have has no members; it is not an error.
    const { rows, ...rest } = page(world.directory_users, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: group === undefined ? ['directory_id', id] : ['member', `${id} ${group}`],
      where: changedAfter(query.updated_after),
    });
    return { users: rows.map((user) => viewUser(world, user, include_detail)), ...rest };
  },

  DirectoryService_ListDirectoryGroups({ path, query }, world) {
    const { id } = findDirectory(world, path.organization_id, path.directory_id);
    const { include_external_groups = false, include_detail = false } = query;
    // Unverified: which groups are external ones; here those that the provider has and the directory does not track.
    const { rows, ...rest } = page(world.directory_groups, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: [include_external_groups ? 'directory_id' : 'tracked', id],
      where: changedAfter(query.updated_after),
    });
    return { groups: rows.map((group) => viewGroup(world, group, include_detail)), ...rest };
  },
} satisfies Partial<Operations>;

/** Unverified: the very time that is named does not count. */
function changedAfter(time: string | undefined) {
  if (time === undefined) return undefined;
  const after = Date.parse(time);
  return ({ updated_at }: { updated_at: string }) => Date.parse(updated_at) > after;
}

function viewUser(world: World, user: User, isDetailed: boolean) {
  const { directory_id: _, group_ids, detail, ...shown } = user;
  const { preferred_username = '', given_name = '', family_name = '' } = user;
  const groups = group_ids.map((id) => world.directory_groups.get(id));
  const { id, email } = user;
  const names = { preferred_username, given_name, family_name };
  const memberOf = groups.map((group) => ({ id: group.id, name: group.display_name }));
  return {
    ...shown,
    ...names,
    groups: groups.map((group) => viewGroup(world, group, false)),
    ...(isDetailed && { user_detail: { ...detail, id, email, ...names, groups: memberOf } }),
  };
}

function viewGroup(world: World, group: Group, isDetailed: boolean) {
  const { id, display_name, updated_at, detail } = group;
  return {
    id,
    display_name,
    total_users: world.directory_users.count('group_ids', id),
    updated_at,
    ...(isDetailed && { group_detail: { ...detail, id, display_name } }),
  };
}
