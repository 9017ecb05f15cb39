import { failedPrecondition } from '../../errors.ts';
import type { Input } from '../../contract/types.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { findDirectory } from './directory-lookup.ts';
import { viewDirectory } from './directory-view.ts';

export const directories = {
  DirectoryService_CreateDirectory({ path, body }, world) {
    const { id } = world.organizations.get(path.organization_id);
    const directory = createDirectory(world, id, body);
    return { directory: viewDirectory(world, directory) };
  },

  DirectoryService_GetDirectory({ path }, world) {
    return { directory: viewDirectory(world, findDirectory(world, path.organization_id, path.id)) };
  },

  DirectoryService_ListDirectories({ path }, world) {
    const { id } = world.organizations.get(path.organization_id);
    const rows = world.directories.list('organization_id', id);
    return { directories: rows.map((directory) => viewDirectory(world, directory)) };
  },

  DirectoryService_DeleteDirectory({ path }, world) {
    const { id, enabled } = findDirectory(world, path.organization_id, path.id);
    // Unverified: which of the failures with status 400 it is.
    if (enabled) throw failedPrecondition('directory is enabled; disable it before deleting it');
    world.remove('directories', id);
    return {};
  },

  DirectoryService_EnableDirectory({ path }, world) {
    return toggleDirectory(world, findDirectory(world, path.organization_id, path.id), true);
  },

  DirectoryService_DisableDirectory({ path }, world) {
    return toggleDirectory(world, findDirectory(world, path.organization_id, path.id), false);
  },
} satisfies Partial<Operations>;

type Directory = Rows['directories'];
type Wanted = Pick<
  Input<'DirectoryService_CreateDirectory'>['body'],
  'directory_type' | 'directory_provider'
>;

export function createDirectory(world: World, organization_id: string, wanted: Wanted): Directory {
  const { directory_type, directory_provider } = wanted;
  const isNamed = directory_provider && directory_provider !== 'DIRECTORY_PROVIDER_UNSPECIFIED';
  // Unverified: a new directory stays IN_PROGRESS; no operation finishes it.
  return world.directories.insert({
    id: world.draw.id('dir'),
    organization_id,
    name: '',
    directory_type,
    ...(isNamed && { directory_provider }),
    enabled: true,
    status: 'IN_PROGRESS',
    secrets: [],
    create_time: world.clock.iso(),
  });
}

interface Switched {
  enabled: boolean;
  error_message?: string;
}

/** Asking for what is so already is no error, but it is said. */
export function toggleDirectory(world: World, directory: Directory, enabled: boolean): Switched {
  if (directory.enabled === enabled)
    return { enabled, error_message: `directory is already ${enabled ? 'enabled' : 'disabled'}` };
  world.directories.update(directory.id, { enabled });
  return { enabled };
}
