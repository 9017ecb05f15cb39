import { shortened } from '@understudy/text/suggestion';
import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { page } from '../../rows/page.ts';
import { ApiError, invalidArgument } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { listing } from '../lists.ts';
import { requestedRole } from '../roles/role-lookup.ts';
import { isTracked } from './group-roles.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];

export const members = {
  DirectoryService_ListDirectoryUsers({ path, query }, env) {
    const { id } = findDirectory(env, path.organization_id, path.directory_id);
    const { directory_group_id: group, include_detail = false } = query;
    // Unverified (directories/unknown-group-in-list): a group that the directory does not have has no members; it is
    // not an error.
    if (group !== undefined && env.directory_groups.find(group)?.directory_id !== id)
      env.decidedBy('directories/unknown-group-in-list');
    const { rows, ...rest } = page(env.directory_users, {
      ...listing(query, env),
      by: group === undefined ? ['tracked', id] : ['member', `${id} ${group}`],
      where: changedAfter(env, query.updated_after),
    });
    return { users: rows.map((user) => viewUser(env, user, include_detail)), ...rest };
  },

  DirectoryService_ListDirectoryGroups({ path, query }, env) {
    const { id } = findDirectory(env, path.organization_id, path.directory_id);
    const { include_external_groups = false, include_detail = false } = query;
    // Unverified (directories/external-groups): external groups are those that the provider has and the directory does
    // not track.
    if (include_external_groups) env.decidedBy('directories/external-groups');
    const { rows, ...rest } = page(env.directory_groups, {
      ...listing(query, env),
      by: [include_external_groups ? 'directory_id' : 'tracked', id],
      where: changedAfter(env, query.updated_after),
    });
    return { groups: rows.map((group) => viewGroup(env, group, include_detail)), ...rest };
  },

  DirectoryService_ListDirectoryGroupsSummary({ path }, env) {
    const { id: directory } = findDirectory(env, path.organization_id, path.directory_id);
    const rows = env.directory_groups.list('tracked', directory).toReversed();
    const groups = rows.map(({ id, display_name }) => ({ id, display_name }));
    return { groups, total_size: groups.length, next_page_token: '', prev_page_token: '' };
  },
} satisfies Partial<Operations>;

/** Unverified (directories/updated-after): the given time itself is excluded. */
function changedAfter(env: Env, time: string | undefined) {
  if (time === undefined) return undefined;
  env.decidedBy('directories/updated-after');
  const after = Date.parse(time);
  return ({ updated_at }: { updated_at: string }) => Date.parse(updated_at) > after;
}

function viewUser(env: Env, user: User, isDetailed: boolean) {
  const { directory_id: _, group_ids: __, external: ___, detail, ...shown } = user;
  const { preferred_username = '', given_name = '', family_name = '' } = user;
  const groups = trackedGroups(env, user);
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
  const { id, directory_id, display_name, updated_at, detail } = group;
  return {
    id,
    display_name,
    total_users: env.directory_users.count('member', `${directory_id} ${id}`),
    updated_at,
    ...(isDetailed && { group_detail: { ...detail, id, display_name } }),
  };
}

/** A directory of another organization is not found. */
export function findDirectory(env: Env, organizationId: string, id: string): Rows['directories'] {
  const organization = env.organizations.get(organizationId);
  const directory = env.directories.find(id);
  // An SDK's test expects this text, without an id.
  if (directory?.organization_id !== organization.id)
    throw new ApiError('not_found', 'directory not found', {
      why: { kind: 'unknown', noun: 'directory', wanted: shortened(id) },
    });
  return directory;
}

type Directory = Rows['directories'];
type Assignments = NonNullable<NonNullable<Input<'DirectoryService_AssignRoles'>['body']>['assignments']>;

export const roleAssignment = {
  DirectoryService_AssignRoles({ path, body }, env) {
    const directory = findDirectory(env, path.organization_id, path.id);
    if (body) assignRoles(env, directory, body.assignments ?? []);
    return { role_assignments: { assignments: rolesGiven(env, directory.id) } };
  },
} satisfies Partial<Operations>;

/** The role that each group of a directory gives, oldest group first. */
export function rolesGiven(env: Env, directoryId: string) {
  return env.directory_groups
    .list('directory_id', directoryId)
    .flatMap(({ id, role_ids }) =>
      role_ids.map((role_id) => ({ group_id: id, role_name: env.roles.get(role_id).name, role_id })),
    );
}

/** Unverified (directories/role-assignments): the new list replaces the old one, as PUT does elsewhere. */
function assignRoles(env: Env, directory: Directory, assignments: Assignments): void {
  env.decidedBy('directories/role-assignments');
  const wanted = rolesByGroup(env, directory, assignments);
  for (const { id, role_ids } of env.directory_groups.list('directory_id', directory.id)) {
    const given = wanted.get(id) ?? [];
    if (role_ids.join() !== given.join()) env.directory_groups.update(id, { role_ids: given });
  }
}

function rolesByGroup(env: Env, directory: Directory, assignments: Assignments): Map<string, string[]> {
  const wanted = new Map<string, string[]>();
  for (const { group_id, role_name, role_id } of assignments) {
    if (env.directory_groups.find(group_id)?.directory_id !== directory.id)
      throw invalidArgument(`directory group ${group_id} not found`);
    const role = requestedRole(env, directory.organization_id, { id: role_id, name: role_name });
    if (role.name !== role_name || (role_id && role.id !== role_id))
      throw invalidArgument(`role ${role_id} is not ${role_name}`);
    wanted.set(group_id, [...new Set([...(wanted.get(group_id) ?? []), role.id])]);
  }
  return wanted;
}

export const trackedGroups = (env: Env, { group_ids }: Pick<User, 'group_ids'>): Group[] =>
  group_ids.map((id) => env.directory_groups.get(id)).filter(isTracked);
