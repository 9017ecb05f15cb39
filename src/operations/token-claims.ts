import type { Env } from '../environment/env.ts';

/** Issuer, times and environment of a new token; `lifetime` is in seconds. */
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
