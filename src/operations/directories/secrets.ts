import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { drawSecret } from '../environment-mark.ts';
import type { Operations } from '../handler.ts';
import { findDirectory } from './directory-lookup.ts';
import { viewSecret } from './directory-view.ts';

const SUFFIX = 4;

export const secrets = {
  DirectoryService_CreateDirectorySecret({ path }, world) {
    return createSecret(world, findDirectory(world, path.organization_id, path.directory_id));
  },
} satisfies Partial<Operations>;

/** Unverified: how many secrets a directory may have; here as many as are asked for, so that they can be rotated. */
export function createSecret(world: World, directory: Rows['directories']) {
  const plain_secret = drawSecret(world);
  const secret = {
    id: world.draw.id('sec'),
    secret_suffix: plain_secret.slice(-SUFFIX),
    status: 'ACTIVE' as const,
    create_time: world.clock.iso(),
  };
  world.directories.update(directory.id, { secrets: [...directory.secrets, secret] });
  return { plain_secret, secret: viewSecret(directory, secret) };
}
