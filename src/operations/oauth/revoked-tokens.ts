import { createHash } from 'node:crypto';
import { unauthenticated } from '../../contract/errors.ts';
import type { Claims } from '../../state/keys.ts';
import type { Rows } from '../../state/env.ts';
import type { Tables, Env } from '../../state/env.ts';

/** The access token that was issued together with the row's token. */
export type IssuedToken = NonNullable<Rows['refresh_tokens']['issued_token']>;

export const isRevoked = ({ revoked_tokens }: Pick<Tables, 'revoked_tokens'>, { jti }: Claims): boolean =>
  typeof jti === 'string' && revoked_tokens.has(jti);

/** Unverified (oauth/revoked-access-token): every operation rejects a revoked access token, not only introspection. */
export function refuseRevoked(tables: Pick<Tables, 'revoked_tokens'>, claims: Claims): void {
  if (!isRevoked(tables, claims)) return;
  throw unauthenticated('token is revoked').decidedBy('oauth/revoked-access-token');
}

export function revokeAccessToken(env: Env, { id, expires_at }: IssuedToken, client_id: string): void {
  forgetExpired(env);
  if (hasExpired(env, expires_at) || env.revoked_tokens.has(id)) return;
  env.revoked_tokens.insert({ id, client_id, expires_at });
}

/** Records the use of an assertion. Returns false if it was used before. */
export function useAssertion(env: Env, { iss, jti, exp }: Claims, client_id: string): boolean {
  forgetExpired(env);
  const digest = createHash('sha256')
    .update(JSON.stringify([iss, jti]))
    .digest('hex')
    .slice(0, 32);
  const id = `jti_${digest}`;
  if (env.revoked_tokens.has(id)) return false;
  env.revoked_tokens.insert({ id, client_id, expires_at: new Date(Number(exp) * 1000).toISOString() });
  return true;
}

/** Removes the oldest first, so the cost does not depend on how many remain. */
function forgetExpired(env: Env): void {
  const { revoked_tokens } = env;
  const expired: string[] = [];
  for (const position of revoked_tokens.bucket().ascending()) {
    const { id, expires_at } = revoked_tokens.at(position)!;
    if (!hasExpired(env, expires_at)) break;
    expired.push(id);
  }
  for (const id of expired) revoked_tokens.remove(id);
}

const hasExpired = ({ clock }: Env, time: string) => Date.parse(time) <= clock.ms;
