import { failedPrecondition } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { findDirectory } from './directory-lookup.ts';
import { viewDirectory } from './directory-view.ts';

export const directories = {
  DirectoryService_CreateDirectory({ path, body }, world) {
    const organization = world.organizations.get(path.organization_id);
    const { directory_type, directory_provider } = body;
    const isNamed = directory_provider && directory_provider !== 'DIRECTORY_PROVIDER_UNSPECIFIED';
    // Unverified: a new directory stays IN_PROGRESS; no operation finishes it.
    const directory = world.directories.insert({
      id: world.draw.id('dir'),
      organization_id: organization.id,
      name: '',
      directory_type,
      ...(isNamed && { directory_provider }),
      enabled: true,
      status: 'IN_PROGRESS',
      secrets: [],
      create_time: world.clock.iso(),
    });
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
    return toggle(world, path, true);
  },

  DirectoryService_DisableDirectory({ path }, world) {
    return toggle(world, path, false);
  },
} satisfies Partial<Operations>;

/** Asking for what is so already is no error, but it is said. */
function toggle(world: World, path: { organization_id: string; id: string }, enabled: boolean) {
  const directory = findDirectory(world, path.organization_id, path.id);
  if (directory.enabled === enabled)
    return { enabled, error_message: `directory is already ${enabled ? 'enabled' : 'disabled'}` };
  world.directories.update(directory.id, { enabled });
  return { enabled };
}
