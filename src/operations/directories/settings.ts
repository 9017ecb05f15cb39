import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { refuseOtherOrganizations } from '../lists.ts';
import { viewDirectory } from './directories.ts';
import { findDirectory } from './members.ts';
import { chooseGroups, externalId } from './sync.ts';

type Directory = Rows['directories'];
type Changes = Input<'DirectoryService_UpdateDirectory'>['body'];

export const settings = {
  DirectoryService_UpdateDirectory({ path, body }, env) {
    const directory = findDirectory(env, path.organization_id, path.id);
    env.directories.update(directory.id, changesOf(body));
    if (body.groups) learnGroups(env, directory, body.groups);
    return { directory: viewDirectory(env, env.directories.get(directory.id)) };
  },

  DirectoryService_UpdateAttributes({ path, body }, env) {
    const { id } = findDirectory(env, path.organization_id, path.id);
    const attribute_mappings = { attributes: body?.attributes ?? [] };
    env.directories.update(id, { attribute_mappings });
    return { attribute_mappings };
  },

  DirectoryService_GetDirectoryContext({ path }, env) {
    refuseOtherOrganizations(env, path.organization_id);
    const { context = {} } = findDirectory(env, path.organization_id, path.directory_id);
    return { context };
  },

  DirectoryService_UpdateDirectoryContext({ path, body: context = {} }, env) {
    refuseOtherOrganizations(env, path.organization_id);
    const { id } = findDirectory(env, path.organization_id, path.directory_id);
    env.directories.update(id, { context });
    return {};
  },
} satisfies Partial<Operations>;

/**
 * A value that is not given, or is the first of its type, changes nothing. Unverified (requests/empty-lists): an empty list
 * empties the field. Unverified (directories/name-of-mapping): no
 * operation shows the `display_name` of a mapping, so it is not stored.
 */
function changesOf({ name, directory_type, directory_provider, enabled, status, mappings }: Changes) {
  const isNamed = directory_provider && directory_provider !== 'DIRECTORY_PROVIDER_UNSPECIFIED';
  return {
    name,
    ...(directory_type && { directory_type }),
    ...(isNamed && { directory_provider }),
    ...(enabled && { enabled }),
    ...(status && status !== 'DIRECTORY_STATUS_UNSPECIFIED' && { status }),
    ...(mappings && {
      attribute_mappings: { attributes: mappings.map(({ key, map_to }) => ({ key, map_to })) },
    }),
  };
}

/**
 * Unverified (directories/groups-in-update): the groups are those that an administrator chose at the provider. The next
 * sync brings them.
 */
function learnGroups(env: Env, directory: Directory, groups: NonNullable<Changes['groups']>): void {
  env.decidedBy('directories/groups-in-update');
  const { id: directory_id } = directory;
  const known = new Map(
    env.directory_groups.list('directory_id', directory_id).map((row) => [externalId(row), row]),
  );
  const updated_at = env.clock.iso();
  for (const { external_id, display_name, email } of groups) {
    const row = known.get(external_id);
    const detail = { ...row?.detail, external_id, email };
    if (row) env.directory_groups.update(row.id, { display_name, detail, updated_at });
    else {
      const id = env.draw.id('dirgroup');
      const added = { id, directory_id, display_name, role_ids: [], external: true, updated_at, detail };
      known.set(external_id, env.directory_groups.insert(added));
    }
  }
  chooseGroups(
    env,
    directory,
    groups.map(({ external_id }) => external_id),
  );
}
