import type { Env, Rows } from '../../state/env.ts';
import { drawSecret } from '@understudy/text/issued-code';
import type { Operations } from '../handler.ts';
import { findDirectory } from './members.ts';

type Directory = Rows['directories'];
type Secret = Directory['secrets'][number];

export const secrets = {
  DirectoryService_CreateDirectorySecret({ path }, env) {
    return createSecret(env, findDirectory(env, path.organization_id, path.directory_id));
  },

  DirectoryService_RegenerateDirectorySecret({ path }, env) {
    return replaceSecrets(env, findDirectory(env, path.organization_id, path.directory_id));
  },
} satisfies Partial<Operations>;

export function replaceSecrets(env: Env, directory: Directory) {
  endSecrets(env, directory);
  return createSecret(env, env.directories.get(directory.id));
}

const SUFFIX = 4;

/** Unverified (directories/secret-limit): the number of secrets is not limited here, so that they can be rotated. */
export function createSecret(env: Env, directory: Directory) {
  if (directory.secrets.length > 1) env.decidedBy('directories/secret-limit');
  const plain_secret = drawSecret(env);
  const secret = {
    id: env.draw.id('sec'),
    secret: plain_secret,
    secret_suffix: plain_secret.slice(-SUFFIX),
    status: 'ACTIVE' as const,
    create_time: env.clock.iso(),
  };
  env.directories.update(directory.id, { secrets: [...directory.secrets, secret] });
  return { plain_secret, secret: viewSecret(directory, secret) };
}

/**
 * Unverified (directories/replaced-secrets): replaced secrets stay valid for a day, so that the provider can be changed
 * without a gap.
 */
export const REPLACED_SECRET_LIFETIME = 86_400_000;

function endSecrets(env: Env, { id, secrets: old }: Directory): void {
  if (old.some(({ status }) => status === 'ACTIVE')) env.decidedBy('directories/replaced-secrets');
  const end = env.clock.after(REPLACED_SECRET_LIFETIME);
  const endOf = ({ expire_time }: Secret) =>
    expire_time && Date.parse(expire_time) < Date.parse(end) ? expire_time : end;
  env.directories.update(id, {
    secrets: old.map((secret) =>
      secret.status === 'ACTIVE' ? { ...secret, expire_time: endOf(secret) } : secret,
    ),
  });
}

/** The service's value for a time that is not set. */
const NEVER = '0001-01-01T00:00:00Z';

export const viewSecret = ({ id }: Directory, { secret: _, ...shown }: Secret) => ({
  expire_time: NEVER,
  last_used_time: NEVER,
  ...shown,
  directory_id: id,
});
