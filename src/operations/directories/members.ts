import { page } from '../../environment/rows/page.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../lists.ts';
import { findDirectory } from './directory-lookup.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];

export const members = {
  DirectoryService_ListDirectoryUsers({ path, query }, env) {
    const { id } = findDirectory(env, path.organization_id, path.directory_id);
    const { directory_group_id: group, include_detail = false } = query;
    // Unverified: a group that the directory does not have has no members; it is not an error.
    const { rows, ...rest } = page(env.directory_users, {
      size: pageSize(query.page_size, env),
      token: query.page_token,
      by: group === undefined ? ['directory_id', id] : ['member', `${id} ${group}`],
      where: changedAfter(query.updated_after),
    });
    return { users: rows.map((user) => viewUser(env, user, include_detail)), ...rest };
  },

  DirectoryService_ListDirectoryGroups({ path, query }, env) {
    const { id } = findDirectory(env, path.organization_id, path.directory_id);
    const { include_external_groups = false, include_detail = false } = query;
    // Unverified: external groups are those that the provider has and the directory does not track.
    const { rows, ...rest } = page(env.directory_groups, {
      size: pageSize(query.page_size, env),
      token: query.page_token,
      by: [include_external_groups ? 'directory_id' : 'tracked', id],
      where: changedAfter(query.updated_after),
    });
    return { groups: rows.map((group) => viewGroup(env, group, include_detail)), ...rest };
  },
} satisfies Partial<Operations>;

/** Unverified: the given time itself is excluded. */
function changedAfter(time: string | undefined) {
  if (time === undefined) return undefined;
  const after = Date.parse(time);
  return ({ updated_at }: { updated_at: string }) => Date.parse(updated_at) > after;
}

function viewUser(env: Env, user: User, isDetailed: boolean) {
  const { directory_id: _, group_ids, detail, ...shown } = user;
  const { preferred_username = '', given_name = '', family_name = '' } = user;
  const groups = group_ids.map((id) => env.directory_groups.get(id));
  const { id, email } = user;
  const names = { preferred_username, given_name, family_name };
  const memberOf = groups.map((group) => ({ id: group.id, name: group.display_name }));
  return {
    ...shown,
    ...names,
    groups: groups.map((group) => viewGroup(env, group, false)),
    ...(isDetailed && { user_detail: { ...detail, id, email, ...names, groups: memberOf } }),
  };
}

function viewGroup(env: Env, group: Group, isDetailed: boolean) {
  const { id, display_name, updated_at, detail } = group;
  return {
    id,
    display_name,
    total_users: env.directory_users.count('group_ids', id),
    updated_at,
    ...(isDetailed && { group_detail: { ...detail, id, display_name } }),
  };
}
