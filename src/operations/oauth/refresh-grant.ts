import { OAuthError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { useSession } from '../sessions/session-use.ts';
import { identified, isPublic, type Asker } from './client-authentication.ts';
import { refuseEnded } from './grant-end.ts';
import { refuseUnlisted } from './grant-types.ts';
import { drawRefreshToken, endStolen } from './refresh-family.ts';
import type { TokenForm } from './token-form.ts';
import { issueTokens } from './user-grant.ts';

type RefreshToken = Rows['refresh_tokens'];

/** New tokens for a refresh token, which is good once: it gets its successor (RFC 6749 6). */
export function refreshGrant(world: World, form: TokenForm) {
  if (!form.refresh_token) throw new OAuthError('invalid_request', 'refresh_token missing');
  const asker = identified(world, form);
  const { client } = asker;
  refuseUnlisted(client, 'refresh_token');
  const token = usableToken(world, asker, form.refresh_token);
  const scopes = narrowed(token.scopes, form.scope);
  refuseEnded(world, token);

  world.refresh_tokens.update(token.id, { used_at: world.clock.iso() });
  if (token.session_id) useSession(world, token.session_id);
  // The successor has all scopes of the first, whatever this access token is asked for.
  const successor = drawRefreshToken(world, token, token);
  const { answer, issued } = issueTokens(world, client, { ...token, scopes });
  world.refresh_tokens.update(successor.id, { issued_token: issued });
  return { ...answer, refresh_token: successor.token };
}

function usableToken(world: World, { client, proved }: Asker, text: string): RefreshToken {
  const token = world.refresh_tokens.findBy('token', text);
  if (!proved && !isPublic(client) && !token?.without_secret)
    throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
  if (!token) throw new OAuthError('invalid_grant', 'invalid refresh token');
  if (token.client_id !== client.id)
    throw new OAuthError('invalid_grant', 'the refresh token was issued to another client');
  if (!token.used_at && !token.revoked_at) return token;
  endStolen(world, token); // Unverified: the service does not say whether it does.
  throw new OAuthError('invalid_grant', 'invalid refresh token', { writesStand: true });
}

function narrowed(granted: readonly string[], asked: string | undefined): string[] {
  const wanted = (asked ?? '').split(' ').filter(Boolean);
  const wider = wanted.find((scope) => !granted.includes(scope));
  if (wider !== undefined) throw new OAuthError('invalid_scope', `scope ${wider} was not granted`);
  return wanted.length > 0 ? [...new Set(wanted)] : [...granted];
}
