import { stateCause, timeCause } from '../../contract/cause.ts';
import { createHash } from 'node:crypto';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { noteStepIn } from '../sign-in/transaction.ts';
import { refuseOtherTarget } from '../resources/resource.ts';
import { identifyClient, isPublic, type IdentifiedClient } from './client-authentication.ts';
import { mayUse, refuseEndedGrant, refuseDisallowedGrant, type TokenForm } from './grant-types.ts';
import { drawRefreshToken, revokeStolenTokens } from './refresh-grant.ts';
import { issueTokens } from './user-grant.ts';

type Code = Rows['authorization_codes'];

/** Tokens for the code of a sign-in (RFC 6749 4.1.3). */
export function codeGrant(env: Env, form: TokenForm) {
  if (!form.code) throw new OAuthError('invalid_request', 'code missing');
  const asker = identifyClient(env, form);
  const { client } = asker;
  refuseDisallowedGrant(client, 'authorization_code');
  const code = usableCode(env, asker, form.code);
  if (code.resource_id) refuseOtherTarget(env, env.resources.get(code.resource_id), form.resource);
  if (code.redirect_uri !== form.redirect_uri)
    throw new OAuthError('invalid_grant', 'redirect_uri does not correspond', {
      why: {
        kind: 'protocol',
        says: `redirect_uri is not the one that the code was issued for: ${code.redirect_uri}`,
      },
    });
  checkVerifier(code.code_challenge, form.code_verifier, asker);
  refuseEndedGrant(env, code);

  const wantsRefresh = mayRefresh(code) && mayUse(client, 'refresh_token');
  if (wantsRefresh && !code.scopes.includes('offline_access'))
    env.decidedBy('oauth/refresh-tokens-for-resources');
  const without_secret = !asker.proved;
  const refresh = wantsRefresh ? drawRefreshToken(env, code, { without_secret }) : undefined;
  const used_at = env.clock.iso();
  const { nonce, authenticated_at } = code;
  const { answer, issued } = issueTokens(env, client, code, { nonce, authenticated_at, code: code.code });
  env.authorization_codes.update(code.id, {
    used_at,
    issued_token: issued,
    ...(refresh && { family_id: refresh.id }),
  });
  if (refresh) env.refresh_tokens.update(refresh.id, { issued_token: issued });
  noteStepIn(env, code.auth_request_id, 'Access token generated');
  return { ...answer, ...(refresh && { refresh_token: refresh.token }) };
}

/**
 * Unverified (oauth/refresh-tokens-for-resources): clients of a protected resource always get a refresh token, because
 * the scopes that its metadata list lack `offline_access`.
 */
const mayRefresh = ({ scopes, resource_id }: Code) =>
  resource_id !== undefined || scopes.includes('offline_access');

function usableCode(env: Env, { client }: IdentifiedClient, text: string): Code {
  const code = env.authorization_codes.findBy('code', text);
  if (!code)
    throw new OAuthError('invalid_grant', 'invalid code', {
      why: {
        kind: 'unknown',
        says: `no authorization code of environment ${env.environment} is the one that was sent, because it is of another environment or the state was reset: begin the sign-in again at /oauth/authorize`,
      },
    });
  if (code.client_id !== client.id)
    throw new OAuthError('invalid_grant', 'the code was issued to another client', {
      why: stateCause(`the code was issued to client ${code.client_id}, not to ${client.id}`),
    });
  if (code.used_at) {
    // Unverified (oauth/code-used-twice): the docs do not say whether the service revokes the tokens.
    revokeStolenTokens(env, code);
    throw new OAuthError('invalid_grant', 'invalid code', {
      writesStand: true,
      why: stateCause(`the code was used already, at ${code.used_at}: a code is good once`),
    }).decidedBy('oauth/code-used-twice');
  }
  if (env.clock.isPast(code.expires_at))
    throw new OAuthError('invalid_grant', 'invalid code', {
      why: timeCause(code.expires_at, 'the code has expired'),
    });
  return code;
}

/** RFC 7636 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** PKCE must be used in both steps or in neither. For a client without a secret it replaces the secret. */
function checkVerifier(
  challenge: string | undefined,
  verifier: string | undefined,
  asker: IdentifiedClient,
): void {
  const { client, proved } = asker;
  if (!challenge) {
    if (isPublic(client) || client.enforce_pkce) throw new OAuthError('invalid_request', 'PKCE required');
    if (!proved) throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
    if (verifier) throw new OAuthError('invalid_request', 'code_verifier unexpectedly provided');
    return;
  }
  if (!verifier) throw new OAuthError('invalid_request', 'code_challenge required');
  if (!VERIFIER.test(verifier))
    throw new OAuthError('invalid_request', 'code_verifier is not 43 to 128 letters, digits, or - . _ ~');
  const hash = createHash('sha256').update(verifier).digest('base64url');
  if (hash !== challenge)
    throw new OAuthError('invalid_grant', 'invalid code challenge', {
      why: {
        kind: 'protocol',
        says: 'code_verifier is not the one of the code_challenge that the sign-in began with',
      },
    });
}
