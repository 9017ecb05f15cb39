import { ApiError } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

/** A directory of an organization; one of another organization is as good as none. */
export function findDirectory(env: Env, organizationId: string, id: string): Rows['directories'] {
  const organization = env.organizations.get(organizationId);
  const directory = env.directories.find(id);
  // An SDK's test looks for these words, without an id between them.
  if (directory?.organization_id !== organization.id) throw new ApiError('not_found', 'directory not found');
  return directory;
}
