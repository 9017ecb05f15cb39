import { ApiError } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

/** A directory of another organization is not found. */
export function findDirectory(env: Env, organizationId: string, id: string): Rows['directories'] {
  const organization = env.organizations.get(organizationId);
  const directory = env.directories.find(id);
  // An SDK's test expects this text, without an id.
  if (directory?.organization_id !== organization.id) throw new ApiError('not_found', 'directory not found');
  return directory;
}
