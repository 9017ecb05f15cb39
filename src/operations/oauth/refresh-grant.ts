import { stateCause, timeCause } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { useSession } from '../sessions.ts';
import { refreshTokenLifetime, refuseOtherTarget } from '../resources/resource.ts';
import { identifyClient, isPublic, type IdentifiedClient } from './client-authentication.ts';
import { refuseEndedGrant, refuseDisallowedGrant, type TokenForm } from './grant-types.ts';
import { revokeAccessToken, type IssuedToken } from './revoked-tokens.ts';
import { issueTokens, type UserGrant } from './user-grant.ts';

const SECOND = 1000;

type RefreshToken = Rows['refresh_tokens'];

/**
 * New tokens for a refresh token, which is valid once and gets a successor (RFC 6749 6). In the grace period, each
 * further use gets a successor of its own: all callers that sent the same token at once can go on.
 */
export function refreshGrant(env: Env, form: TokenForm) {
  if (!form.refresh_token) throw new OAuthError('invalid_request', 'refresh_token missing');
  const asker = identifyClient(env, form);
  const { client } = asker;
  refuseDisallowedGrant(client, 'refresh_token');
  const token = usableToken(env, asker, form.refresh_token);
  if (token.resource_id) refuseOtherTarget(env, env.resources.get(token.resource_id), form.resource);
  const scopes = narrowScopes(token.scopes, form.scope);
  refuseEndedGrant(env, token);

  if (!token.used_at) env.refresh_tokens.update(token.id, { used_at: env.clock.iso() });
  if (token.session_id) useSession(env, token.session_id);
  // The successor keeps all scopes, even if this access token is narrower.
  const successor = drawRefreshToken(env, token, token);
  const { answer, issued } = issueTokens(env, client, { ...token, scopes });
  env.refresh_tokens.update(successor.id, { issued_token: issued });
  return { ...answer, refresh_token: successor.token };
}

function usableToken(env: Env, { client, proved }: IdentifiedClient, text: string): RefreshToken {
  const token = env.refresh_tokens.findBy('token', text);
  if (!proved && !isPublic(client) && !token?.without_secret)
    throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
  if (!token)
    throw new OAuthError('invalid_grant', 'invalid refresh token', {
      why: {
        kind: 'unknown',
        says: 'no refresh token is the one that was sent: it is of another environment, was revoked, or the state was reset',
      },
    });
  if (token.client_id !== client.id)
    throw new OAuthError('invalid_grant', 'the refresh token was issued to another client', {
      why: stateCause(`the refresh token was issued to client ${token.client_id}, not to ${client.id}`),
    });
  if (token.expires_at && env.clock.isPast(token.expires_at))
    throw new OAuthError('invalid_grant', 'the refresh token has expired', {
      why: timeCause(token.expires_at),
    });
  if (!isSpent(env, token)) return token;
  // Unverified (oauth/refresh-token-used-twice): the docs do not say whether the service revokes the tokens.
  revokeStolenTokens(env, token);
  throw new OAuthError('invalid_grant', 'invalid refresh token', {
    writesStand: true,
    why: stateCause(
      'the refresh token was used already: the application refreshed twice with it, and that ended all tokens of the sign-in',
    ),
  }).decidedBy('oauth/refresh-token-used-twice');
}

/** In seconds. */
const GRACE_PERIOD = 10;

/**
 * Whether the token was used or revoked. Unverified (oauth/refresh-grace-period): the docs say that a refresh makes the
 * presented token invalid, and name no grace period. An application whose pages refresh at once would lose its session
 * without one, so there is one. It is long enough for requests of one page, and short for a thief.
 */
export function isSpent(env: Env, { used_at, revoked_at }: RefreshToken): boolean {
  if (revoked_at !== undefined || used_at === undefined) return revoked_at !== undefined;
  env.decidedBy('oauth/refresh-grace-period');
  const { refresh_token_grace_period = GRACE_PERIOD } = env.settings.get('settings');
  return env.clock.ms >= Date.parse(used_at) + refresh_token_grace_period * SECOND;
}

function narrowScopes(granted: readonly string[], asked: string | undefined): string[] {
  const wanted = (asked ?? '').split(' ').filter(Boolean);
  const known = new Set(granted);
  const wider = wanted.find((scope) => !known.has(scope));
  if (wider !== undefined) throw new OAuthError('invalid_scope', `scope ${wider} was not granted`);
  return wanted.length > 0 ? [...new Set(wanted)] : [...granted];
}

interface RefreshTokenOrigin {
  /** Absent for the first token of a family. */
  family_id?: string;
  without_secret?: boolean | undefined;
}

export function drawRefreshToken(
  env: Env,
  grant: UserGrant,
  { family_id, without_secret }: RefreshTokenOrigin,
): RefreshToken {
  const id = env.draw.id('rtok');
  const { client_id, scopes, subject, connection_ids } = grant;
  const { user_id, session_id, organization_id, identity, resource, resource_id, custom_claims } = grant;
  const lifetime = resource_id ? refreshTokenLifetime(env.resources.get(resource_id)) * SECOND : undefined;
  return env.refresh_tokens.insert({
    id,
    token: withEnvironmentName(env, `rt_${env.draw.text(40)}`),
    family_id: family_id ?? id,
    client_id,
    scopes,
    subject,
    connection_ids,
    created_at: env.clock.iso(),
    ...(user_id && { user_id }),
    ...(session_id && { session_id }),
    ...(organization_id && { organization_id }),
    ...(identity && { identity }),
    ...(resource && { resource }),
    ...(resource_id && { resource_id }),
    ...(lifetime && { expires_at: env.clock.after(lifetime) }),
    ...(custom_claims && { custom_claims }),
    ...(without_secret && { without_secret }),
  });
}

/** Revokes all refresh tokens of the family. Their access tokens stay valid until they expire. */
export function revokeFamily(env: Env, family_id: string | undefined): void {
  const revoked_at = env.clock.iso();
  for (const { id, ...token } of familyOf(env, family_id))
    if (!token.revoked_at) env.refresh_tokens.update(id, { revoked_at });
}

interface ReusedCredential extends Pick<RefreshToken, 'client_id'> {
  family_id?: string;
  issued_token?: IssuedToken;
}

/**
 * A code or refresh token was used twice and may be stolen: revokes every token that came from it (RFC 6749
 * 4.1.2, RFC 9700 4.14.2).
 */
export function revokeStolenTokens(env: Env, { family_id, client_id, issued_token }: ReusedCredential): void {
  revokeFamily(env, family_id);
  const issued = [issued_token, ...familyOf(env, family_id).map((token) => token.issued_token)];
  for (const token of issued) if (token) revokeAccessToken(env, token, client_id);
}

const familyOf = (env: Env, family_id: string | undefined): RefreshToken[] =>
  family_id ? env.refresh_tokens.list('family_id', family_id) : [];
