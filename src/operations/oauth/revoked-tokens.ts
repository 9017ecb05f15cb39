import type { Claims } from '../../world/keys.ts';
import type { Rows } from '../../world/schema.ts';
import type { Tables, World } from '../../world/world.ts';

/** An access token, as the rows name it that it came with. */
export type IssuedToken = NonNullable<Rows['refresh_tokens']['issued_token']>;

/** Unverified: an access token that was revoked is refused by every operation, and not by introspection alone. */
export const isRevoked = ({ revoked_tokens }: Pick<Tables, 'revoked_tokens'>, { jti }: Claims): boolean =>
  typeof jti === 'string' && revoked_tokens.has(jti);

export function revokeAccessToken(world: World, { id, expires_at }: IssuedToken, client_id: string): void {
  forgetExpired(world);
  if (hasExpired(world, expires_at) || world.revoked_tokens.has(id)) return;
  world.revoked_tokens.insert({ id, client_id, expires_at });
}

/** The oldest go first: the cost does not grow with the number of those that stay. */
function forgetExpired(world: World): void {
  const { revoked_tokens } = world;
  const expired: string[] = [];
  for (const position of revoked_tokens.bucket().ascending()) {
    const { id, expires_at } = revoked_tokens.at(position)!;
    if (!hasExpired(world, expires_at)) break;
    expired.push(id);
  }
  for (const id of expired) revoked_tokens.remove(id);
}

const hasExpired = ({ clock }: World, time: string) => Date.parse(time) <= clock.ms;
