import type { InterceptorEffects } from '../../contract/types.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { askInterceptors } from '../interceptors/ask.ts';
import { deviceType } from '../interceptors/device-type.ts';
import { ownClaims } from '../interceptors/own-claims.ts';

/** What of a client's token interceptors may change. */
export interface ClientClaims {
  scopes: readonly string[];
  audience: readonly string[];
  custom: Readonly<Record<string, unknown>>;
}

type Claims = NonNullable<InterceptorEffects<'PRE_M2M_TOKEN_CREATION'>['claims']>;

/** As interceptors leave them. Unverified: those of clients of the environment, which call this API, are nobody's business. */
export function interceptedClaims(
  world: World,
  client: Rows['clients'],
  claims: ClientClaims,
  userAgent: string,
): ClientClaims {
  const { id: client_id, organization_id: oid } = client;
  if (!oid) return claims;
  const { scopes, custom } = claims;
  const effects = askInterceptors(world, 'PRE_M2M_TOKEN_CREATION', () => ({
    context: { client_id, user_agent: userAgent, device_type: deviceType(userAgent) },
    data: {
      m2m_token_claims: {
        client_id,
        claims: { custom_claims: { ...custom }, oid, scope: scopes.join(' '), scopes: [...scopes] },
      },
    },
  }));
  return effects.claims ? changed(claims, effects.claims) : claims;
}

/** Unverified: what is neither scope nor audience is a claim of the interceptor's own, wherever it stands. */
function changed(before: ClientClaims, claims: Claims): ClientClaims {
  const { scope, scopes = scope, aud, ...own } = claims;
  return {
    scopes: scopes === undefined ? before.scopes : [scopes].flat().flatMap(words),
    audience: aud === undefined ? before.audience : [aud].flat(),
    custom: { ...before.custom, ...ownClaims(own) },
  };
}

const words = (text: string) => text.split(' ').filter((word) => word !== '');
