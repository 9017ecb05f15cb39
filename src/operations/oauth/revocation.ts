import { OAuthError } from '../../errors.ts';
import { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { authenticatedOrPublic } from './client-authentication.ts';
import { revokeFamily } from './refresh-family.ts';

export const oauthRevocation = {
  /** An access token stays good until it ends, and a token that nobody knows is good for nothing already (RFC 7009 2.2). */
  OAuth_Revoke({ body }, world) {
    const client = authenticatedOrPublic(world, body ?? {});
    if (!body?.token) throw new OAuthError('invalid_request', 'token missing');
    const refresh = world.refresh_tokens.findBy('token', body.token);
    const owner = refresh?.client_id ?? world.claims(body.token)?.['client_id'] ?? client.id;
    // Unverified: the words are the library's.
    if (owner !== client.id) throw new OAuthError('invalid_client', 'token was not issued for this client');
    if (refresh) revokeFamily(world, refresh.family_id);
    return new Answer(200, {});
  },
} satisfies Partial<Operations>;
