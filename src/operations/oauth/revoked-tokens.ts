import type { Claims } from '../../environment/keys.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Tables, Env } from '../../environment/env.ts';

/** An access token, as the rows name it that it came with. */
export type IssuedToken = NonNullable<Rows['refresh_tokens']['issued_token']>;

/** Unverified: an access token that was revoked is refused by every operation, and not by introspection alone. */
export const isRevoked = ({ revoked_tokens }: Pick<Tables, 'revoked_tokens'>, { jti }: Claims): boolean =>
  typeof jti === 'string' && revoked_tokens.has(jti);

export function revokeAccessToken(env: Env, { id, expires_at }: IssuedToken, client_id: string): void {
  forgetExpired(env);
  if (hasExpired(env, expires_at) || env.revoked_tokens.has(id)) return;
  env.revoked_tokens.insert({ id, client_id, expires_at });
}

/** The oldest go first: the cost does not grow with the number of those that stay. */
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
