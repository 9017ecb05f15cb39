import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { directoryAddress } from '@understudy/core/operations/directories/directories';

type Directory = Rows['directories'];

/** What an identity provider calls: its directory, and the address of that. */
export interface Pushing {
  env: Env;
  directory: Directory;
  base: string;
}

/** Notes the use of the secret. Unverified (scim/first-call): the first call completes the set-up of the directory. */
export function pushing(env: Env, what: 'reads' | 'writes'): Pushing {
  const { id, secret_id } = callingDirectory(env);
  const now = env.clock.iso();
  const known = env.directories.get(id);
  const secrets = known.secrets.map((secret) =>
    secret.id === secret_id ? { ...secret, last_used_time: now } : secret,
  );
  const wasUsed = known.secrets.some((each) => each.id === secret_id && each.last_used_time === now);
  const isTold = known.status === 'COMPLETED' && (what === 'reads' || known.last_synced_at === now);
  const use = { secrets, status: 'COMPLETED' as const, ...(what === 'writes' && { last_synced_at: now }) };
  if (known.status !== 'COMPLETED') env.decidedBy('scim/first-call');
  const directory = wasUsed && isTold ? known : env.trace(() => env.directories.update(id, use));
  return { env, directory, base: directoryAddress(env, directory) };
}

function callingDirectory({ caller }: Env) {
  if (caller?.directory) return caller.directory;
  throw new ApiError('unauthenticated', 'send a secret of the directory', {
    why: { kind: 'authentication' },
  });
}
