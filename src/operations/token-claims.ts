import type { World } from '../world/world.ts';

/** Who issued a token, when, for how many seconds and in which environment. */
export function tokenClaims(world: World, lifetime: number) {
  const now = Math.floor(world.clock.ms / 1000);
  return {
    iss: world.baseUrl,
    iat: now,
    nbf: now,
    exp: now + lifetime,
    jti: world.draw.id('tkn'),
    ...(world.environment !== 'default' && { understudy_environment: world.environment }),
  };
}
