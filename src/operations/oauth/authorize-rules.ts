import { OAuthError } from '../../contract/errors.ts';
import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import { shortened } from '@understudy/text/suggestion';
import { clientScopes, type Resource, refuseOtherTarget } from '../resources/resource.ts';
import { isPublic } from './client-authentication.ts';
import { mayUse } from './grant-types.ts';

type Client = Rows['clients'];
type Transaction = Rows['login_transactions'];
type Prompt = Transaction['prompt'][number];

const PROMPTS = ['none', 'login', 'create', 'select_account', 'consent'];
const SCOPES = new Set(['openid', 'profile', 'email', 'offline_access']);

/** The base64url of a SHA-256 hash (RFC 7636 4.2). */
const CHALLENGE = /^[\w-]{43}$/;

/** The parameters for which OAuth and OpenID Connect have rules. */
interface AuthorizationRequest {
  response_type?: string;
  response_mode?: string;
  scope?: string;
  state?: string;
  nonce?: string;
  code_challenge?: string;
  code_challenge_method?: string;
  prompt?: string;
  id_token_hint?: string;
  max_age?: string;
  resource?: string;
  request?: string;
  request_uri?: string;
}

/** Checks the request and returns what the transaction stores. Throws the error that the application gets. */
export function wantedTokens(
  env: Env,
  client: Client,
  asked: AuthorizationRequest,
  protectedResource?: Resource,
) {
  checkResponse(client, asked);
  const { state, nonce, resource } = asked;
  const code_challenge = checkedChallenge(client, asked);
  const prompt = promptsOf(asked);
  const hinted_subject = hintedSubject(env, client, asked);
  const max_age = maxAgeOf(asked);
  if (protectedResource) refuseOtherTarget(env, protectedResource, resource);
  else if (resource && !isResource(resource))
    throw new OAuthError('invalid_target', 'resource must be an absolute address without a fragment');
  return {
    scopes: protectedResource
      ? resourceScopes(env, protectedResource, client, asked)
      : scopesOf(env, client, asked),
    ...(protectedResource && { resource_id: protectedResource.id }),
    prompt,
    intent: prompt.includes('create') ? ('sign_up' as const) : ('sign_in' as const),
    ...(state !== undefined && { state }),
    ...(nonce && { nonce }),
    ...(max_age !== undefined && { max_age }),
    ...(hinted_subject && { hinted_subject }),
    ...(code_challenge && { code_challenge }),
    ...(resource && { resource }),
  };
}

function checkResponse(
  client: Client,
  { response_type, response_mode, request, request_uri }: AuthorizationRequest,
): void {
  if (request) throw new OAuthError('request_not_supported', 'request is not supported');
  if (request_uri) throw new OAuthError('request_uri_not_supported', 'request_uri is not supported');
  if (!response_type) throw new OAuthError('invalid_request', 'response_type missing');
  if (response_type !== 'code') throw new OAuthError('unauthorized_client', 'response_type is not code');
  if (response_mode && response_mode !== 'query')
    throw new OAuthError('invalid_request', 'response_mode is not query');
  if (!mayUse(client, 'authorization_code'))
    throw new OAuthError('unauthorized_client', 'client missing grant type authorization_code');
}

/**
 * Unverified (oauth/unknown-scopes): unknown scopes are dropped. A client that lists scopes gets those beside OpenID's
 * own.
 */
function scopesOf(env: Env, { scopes: listed }: Client, { scope = '' }: AuthorizationRequest): string[] {
  const asked = [...new Set(scope.split(' ').filter(Boolean))];
  if (asked.length === 0) throw new OAuthError('invalid_request', 'scope missing');
  const own = new Set(listed);
  const known = asked.filter((each) => own.size === 0 || SCOPES.has(each) || own.has(each));
  if (known.length === 0) throw new OAuthError('invalid_scope', 'none of the scopes is known');
  if (known.length < asked.length) env.decidedBy('oauth/unknown-scopes');
  return known;
}

/**
 * The scopes of the resource that are asked for; without any, all. Unverified (oauth/unknown-resource-scopes): unknown
 * scopes are dropped, as above. A client that lists scopes gets those alone.
 */
function resourceScopes(
  env: Env,
  resource: Resource,
  client: Client,
  { scope = '' }: AuthorizationRequest,
): string[] {
  const offered = clientScopes(env, resource, client);
  const asked = [...new Set(scope.split(' ').filter(Boolean))];
  if (asked.length === 0) return [...offered];
  const known = asked.filter((each) => SCOPES.has(each) || offered.has(each));
  if (known.length < asked.length) env.decidedBy('oauth/unknown-resource-scopes');
  if (known.length > 0) return known;
  throw new OAuthError('invalid_scope', `none of the scopes is one of ${shortened([...offered].join(', '))}`);
}

/** Only S256: a missing method means `plain` (RFC 7636 4.3). */
function checkedChallenge(client: Client, { code_challenge, code_challenge_method }: AuthorizationRequest) {
  if (!code_challenge) {
    if (code_challenge_method)
      throw new OAuthError('invalid_request', 'code_challenge_method without code_challenge');
    if (client.enforce_pkce || client.resource_id || isPublic(client))
      throw new OAuthError('invalid_request', 'PKCE required');
    return undefined;
  }
  if (code_challenge_method !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method is not S256');
  if (!CHALLENGE.test(code_challenge))
    throw new OAuthError('invalid_request', 'code_challenge is not the base64url of a SHA-256 hash');
  return code_challenge;
}

function promptsOf({ prompt = '' }: AuthorizationRequest): Prompt[] {
  const prompts = [...new Set(prompt.split(' ').filter(Boolean))];
  if (prompts.some((each) => !PROMPTS.includes(each)))
    throw new OAuthError('invalid_request', `prompt is not one of ${PROMPTS.join(', ')}`);
  if (prompts.includes('none') && prompts.length > 1)
    throw new OAuthError('invalid_request', 'prompt none cannot be combined with other values');
  return prompts as Prompt[];
}

/** The hint may have expired, but must be an ID token of ours for this application. */
function hintedSubject(
  env: Env,
  client: Client,
  { id_token_hint }: AuthorizationRequest,
): string | undefined {
  if (!id_token_hint) return undefined;
  const { azp, sub } = env.claims(id_token_hint) ?? {};
  if (azp === client.id) return String(sub);
  throw new OAuthError('login_required', 'id_token_hint invalid');
}

/** Seconds. A sign-in that is older does not count (OpenID Connect Core 3.1.2.1). */
function maxAgeOf({ max_age }: AuthorizationRequest): number | undefined {
  if (!max_age) return undefined;
  if (/^\d{1,9}$/.test(max_age)) return Number(max_age);
  throw new OAuthError('invalid_request', 'max_age is not a number of seconds');
}

/** RFC 8707 2. */
const isResource = (text: string) => URL.canParse(text) && !text.includes('#');
