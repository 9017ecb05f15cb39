import { ApiError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

/** A directory of an organization; one of another organization is as good as none. */
export function findDirectory(world: World, organizationId: string, id: string): Rows['directories'] {
  const organization = world.organizations.get(organizationId);
  const directory = world.directories.find(id);
  // An SDK's test looks for these words, without an id between them.
  if (directory?.organization_id !== organization.id) throw new ApiError('not_found', 'directory not found');
  return directory;
}
