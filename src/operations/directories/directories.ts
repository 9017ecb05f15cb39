import type { Input } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { failedPrecondition } from '../../errors.ts';
import { drawSecret } from '../environment-prefix.ts';
import type { Operations } from '../handler.ts';
import { findDirectory } from './directory-lookup.ts';
import { viewDirectory, viewSecret } from './directory-view.ts';

export const directories = {
  DirectoryService_CreateDirectory({ path, body }, env) {
    const { id } = env.organizations.get(path.organization_id);
    const directory = createDirectory(env, id, body);
    return { directory: viewDirectory(env, directory) };
  },

  DirectoryService_GetDirectory({ path }, env) {
    return { directory: viewDirectory(env, findDirectory(env, path.organization_id, path.id)) };
  },

  DirectoryService_ListDirectories({ path }, env) {
    const { id } = env.organizations.get(path.organization_id);
    const rows = env.directories.list('organization_id', id);
    return { directories: rows.map((directory) => viewDirectory(env, directory)) };
  },

  DirectoryService_DeleteDirectory({ path }, env) {
    const { id, enabled } = findDirectory(env, path.organization_id, path.id);
    // Unverified: which of the errors with status 400 it is.
    if (enabled) throw failedPrecondition('directory is enabled; disable it before deleting it');
    env.remove('directories', id);
    return {};
  },

  DirectoryService_EnableDirectory({ path }, env) {
    return toggleDirectory(env, findDirectory(env, path.organization_id, path.id), true);
  },

  DirectoryService_DisableDirectory({ path }, env) {
    return toggleDirectory(env, findDirectory(env, path.organization_id, path.id), false);
  },
} satisfies Partial<Operations>;

type Directory = Rows['directories'];
type NewDirectory = Pick<
  Input<'DirectoryService_CreateDirectory'>['body'],
  'directory_type' | 'directory_provider'
>;

export function createDirectory(env: Env, organization_id: string, wanted: NewDirectory): Directory {
  const { directory_type, directory_provider } = wanted;
  const isNamed = directory_provider && directory_provider !== 'DIRECTORY_PROVIDER_UNSPECIFIED';
  // Unverified: a new directory stays IN_PROGRESS, because no operation completes it.
  return env.directories.insert({
    id: env.draw.id('dir'),
    organization_id,
    name: '',
    directory_type,
    ...(isNamed && { directory_provider }),
    enabled: true,
    status: 'IN_PROGRESS',
    secrets: [],
    create_time: env.clock.iso(),
  });
}

interface SwitchResult {
  enabled: boolean;
  error_message?: string;
}

/** Enabling an enabled directory succeeds with an `error_message`. */
export function toggleDirectory(env: Env, directory: Directory, enabled: boolean): SwitchResult {
  if (directory.enabled === enabled)
    return { enabled, error_message: `directory is already ${enabled ? 'enabled' : 'disabled'}` };
  env.directories.update(directory.id, { enabled });
  return { enabled };
}

const SUFFIX = 4;

export const secrets = {
  DirectoryService_CreateDirectorySecret({ path }, env) {
    return createSecret(env, findDirectory(env, path.organization_id, path.directory_id));
  },
} satisfies Partial<Operations>;

/** Unverified: the number of secrets is not limited here, so that they can be rotated. */
export function createSecret(env: Env, directory: Rows['directories']) {
  const plain_secret = drawSecret(env);
  const secret = {
    id: env.draw.id('sec'),
    secret_suffix: plain_secret.slice(-SUFFIX),
    status: 'ACTIVE' as const,
    create_time: env.clock.iso(),
  };
  env.directories.update(directory.id, { secrets: [...directory.secrets, secret] });
  return { plain_secret, secret: viewSecret(directory, secret) };
}
