import type { Env } from '../environment/env.ts';

/** Who issued a token, when, for how many seconds and in which environment. */
export function tokenClaims(env: Env, lifetime: number) {
  const now = Math.floor(env.clock.ms / 1000);
  return {
    iss: env.baseUrl,
    iat: now,
    nbf: now,
    exp: now + lifetime,
    jti: env.draw.id('tkn'),
    ...(env.environment !== 'default' && { understudy_environment: env.environment }),
  };
}
