import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { failedPrecondition, invalidArgument } from '../../contract/errors.ts';
import { suggestAmong } from '@understudy/text/suggestion';
import type { Operations } from '../handler.ts';
import { isTracked } from './group-roles.ts';
import { findDirectory, trackedGroups } from './members.ts';

type Directory = Rows['directories'];
type Group = Rows['directory_groups'];
type User = Rows['directory_users'];

export const sync = {
  DirectoryService_AssignGroupsForDirectory({ path, body }, env) {
    chooseGroups(env, findDirectory(env, path.organization_id, path.id), body.external_ids);
    return {};
  },

  DirectoryService_TriggerDirectorySync({ path }, env) {
    syncDirectory(env, findDirectory(env, path.organization_id, path.directory_id));
    return {};
  },
} satisfies Partial<Operations>;

/**
 * Unverified (directories/chosen-groups): a group that the provider does not have is refused, and `SELECTED` says that
 * groups are chosen.
 */
export function chooseGroups(env: Env, { id }: Directory, external_ids: readonly string[]): void {
  const known = new Set(
    env.directory_groups.list('directory_id', id).flatMap((row) => externalId(row) ?? []),
  );
  const unknown = external_ids.find((wanted) => !known.has(wanted));
  if (unknown !== undefined)
    throw invalidArgument(
      `external_ids: directory ${id} has no group ${unknown}${suggestAmong(unknown, [...known])}`,
    ).decidedBy('directories/chosen-groups');
  env.directories.update(id, { chosen_groups: [...new Set(external_ids)], groups_tracked: 'SELECTED' });
}

export function externalId({ detail }: Group): string | undefined {
  const id = detail?.['external_id'];
  return typeof id === 'string' ? id : undefined;
}

/**
 * Brings what the provider has: the chosen groups and their members, or everything. Unverified (directories/sync): a
 * directory that the provider pushes to syncs in the same way, and a sync completes the set-up.
 */
export function syncDirectory(env: Env, directory: Directory): void {
  if (!directory.enabled)
    throw failedPrecondition('directory is disabled; enable it before it syncs', {
      rows: [rowNamed('directories', directory)],
      needs: { enabled: true },
      leads: ['DirectoryService_EnableDirectory'],
    });
  env.decidedBy('directories/sync');
  const { id, chosen_groups } = directory;
  const chosen = chosen_groups && new Set<string | undefined>(chosen_groups);
  const last_synced_at = env.clock.iso();
  for (const group of env.directory_groups.list('directory_id', id))
    track(env, 'directory_groups', group, !chosen || chosen.has(externalId(group)));
  for (const user of env.directory_users.list('directory_id', id)) {
    const isWanted = user.email !== '' && (!chosen || trackedGroups(env, user).length > 0);
    track(env, 'directory_users', user, isWanted);
  }
  const groups_tracked = chosen ? 'SELECTED' : 'ALL';
  env.directories.update(id, { status: 'COMPLETED', last_synced_at, groups_tracked });
}

function track(
  env: Env,
  collection: 'directory_groups' | 'directory_users',
  row: Group | User,
  wanted: boolean,
): void {
  if (isTracked(row) === wanted) return;
  const change = { external: wanted ? undefined : true, updated_at: env.clock.iso() };
  env[collection].update(row.id, change);
}
