import { OAuthError } from '../../errors.ts';
import type { Claims } from '../../world/keys.ts';
import type { World } from '../../world/world.ts';
import { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { authenticatedOrPublic } from './client-authentication.ts';
import { revokeFamily } from './refresh-family.ts';
import { revokeAccessToken } from './revoked-tokens.ts';

export const oauthRevocation = {
  /** A token that nobody knows is good for nothing already (RFC 7009 2.2), and so is an id_token. */
  OAuth_Revoke({ body }, world) {
    const client = authenticatedOrPublic(world, body ?? {});
    if (!body?.token) throw new OAuthError('invalid_request', 'token missing');
    const refresh = world.refresh_tokens.findBy('token', body.token);
    const claims = refresh ? undefined : world.claims(body.token);
    const owner = refresh?.client_id ?? claims?.['client_id'] ?? client.id;
    // Unverified: the words are the library's.
    if (owner !== client.id) throw new OAuthError('invalid_client', 'token was not issued for this client');
    if (refresh) revokeFamily(world, refresh.family_id);
    if (claims) revokeIfAccessToken(world, claims, client.id);
    return new Answer(200, {});
  },
} satisfies Partial<Operations>;

/** Other tokens of ours have no id of their own. */
function revokeIfAccessToken(world: World, { jti, exp, scopes }: Claims, client_id: string): void {
  if (typeof jti !== 'string' || !Array.isArray(scopes)) return;
  revokeAccessToken(world, { id: jti, expires_at: new Date(Number(exp) * 1000).toISOString() }, client_id);
}
