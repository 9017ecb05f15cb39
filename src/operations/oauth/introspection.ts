import type { Env, Rows } from '../../state/env.ts';
import type { Claims } from '../../state/keys.ts';
import { OAuthError } from '../../contract/errors.ts';
import { CustomReply, type Operations } from '../handler.ts';
import {
  authenticateClient,
  authenticateUnlessPublic,
  findClient,
  isEnvironmentClient,
} from './client-authentication.ts';
import { isSpent, revokeFamily } from './refresh-grant.ts';
import { isRevoked, revokeAccessToken } from './revoked-tokens.ts';
import { tokenIssuer } from '../resources/resource.ts';

type Client = Rows['clients'];

const INACTIVE = { active: false };

export const oauthIntrospection = {
  OAuth_Introspect({ body }, env) {
    const client = authenticateClient(env, body ?? {});
    if (!body?.token) throw new OAuthError('invalid_request', 'token missing');
    const token = env.refresh_tokens.findBy('token', body.token);
    if (token) return refreshTokenAnswer(env, client, token);
    const claims = env.claims(body.token);
    return claims ? accessTokenAnswer(env, client, claims) : INACTIVE;
  },
} satisfies Partial<Operations>;

/**
 * Unverified (oauth/who-may-introspect): the environment's own client may introspect any token; other clients only
 * tokens that they own or are the audience of.
 */
function accessTokenAnswer(env: Env, client: Client, claims: Claims) {
  const { client_id, exp, sid, sub, scopes, aud, resid } = claims;
  const isAccessToken = Array.isArray(scopes) && Number(exp) * 1000 > env.clock.ms;
  const isGone = !findClient(env, String(client_id), resid) || isRevoked(env, claims);
  const isForIt = (Array.isArray(aud) && aud.includes(client.id)) || (resid && resid === client.resource_id);
  const isOwn = client_id === client.id || isForIt;
  const isOver = !isActive(env, sid as string | undefined);
  const mayAsk = isOwn || isEnvironmentClient(client);
  if (!mayAsk) env.decidedBy('oauth/who-may-introspect');
  if (isOver) env.decidedBy('oauth/tokens-of-ended-sessions');
  if (!isAccessToken || isGone || isOver || !mayAsk) return INACTIVE;
  const { understudy_environment: _, understudy_generation: __, scopes: ___, ...rest } = claims;
  return { active: true, token_type: 'Bearer', ...rest, ...usernameClaim(env, String(sub)) };
}

function refreshTokenAnswer(env: Env, client: Client, token: Rows['refresh_tokens']) {
  const { client_id, subject, scopes, created_at, session_id, organization_id, resource_id } = token;
  const hasExpired = token.expires_at !== undefined && env.clock.isPast(token.expires_at);
  const isOver = hasExpired || isSpent(env, token) || !isActive(env, session_id);
  if (isOver || !(client_id === client.id || isEnvironmentClient(client))) return INACTIVE;
  return {
    active: true,
    client_id,
    sub: subject,
    iss: tokenIssuer(env, resource_id),
    scope: scopes.join(' '),
    iat: Math.floor(Date.parse(created_at) / 1000),
    ...(organization_id && { oid: organization_id }),
    ...(session_id && { sid: session_id }),
    ...usernameClaim(env, subject),
  };
}

/** Unverified (oauth/tokens-of-ended-sessions): a token of an ended session is inactive. */
const isActive = (env: Env, session_id: string | undefined) =>
  session_id === undefined || env.sessions.find(session_id)?.status === 'active';

function usernameClaim(env: Env, subject: string) {
  const email = env.users.find(subject)?.email;
  return email === undefined ? {} : { username: email };
}

export const oauthRevocation = {
  /** Unknown tokens and id_tokens are already useless, so the call succeeds (RFC 7009 2.2). */
  OAuth_Revoke({ body }, env) {
    const client = authenticateUnlessPublic(env, body ?? {});
    if (!body?.token) throw new OAuthError('invalid_request', 'token missing');
    const refresh = env.refresh_tokens.findBy('token', body.token);
    const claims = refresh ? undefined : env.claims(body.token);
    const owner = refresh?.client_id ?? claims?.['client_id'] ?? client.id;
    // Unverified (oauth/revoke-foreign-token): the text is that of the library zitadel/oidc.
    if (owner !== client.id)
      throw new OAuthError('invalid_client', 'token was not issued for this client').decidedBy(
        'oauth/revoke-foreign-token',
      );
    if (refresh) revokeFamily(env, refresh.family_id);
    if (claims) revokeIfAccessToken(env, claims, client.id);
    return new CustomReply(200, {});
  },
} satisfies Partial<Operations>;

/** Access tokens, and session tokens of MCP servers. A call accepts no other token, so revoking it means nothing. */
function revokeIfAccessToken(env: Env, { jti, exp, scopes, token_type }: Claims, client_id: string): void {
  const opensCalls = Array.isArray(scopes) || token_type === 'mcp_session';
  if (typeof jti !== 'string' || !opensCalls) return;
  revokeAccessToken(env, { id: jti, expires_at: new Date(Number(exp) * 1000).toISOString() }, client_id);
}
