import { shortened } from '@understudy/text/suggestion';
import { type Cause, rowNamed, stateCause, timeCause } from '@understudy/core/contract/cause';
import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { withQuery } from '@understudy/core/operations/handler';
import { emitAccountEvent, TOKEN_LIFETIME } from './credentials.ts';
import { wantedScopes } from './scope-selection.ts';

type Account = Rows['connected_accounts'];
type Details = NonNullable<Account['authorization_details']>;

/** Where the end user returns to: addresses of the calling application. */
export interface ReturnTarget {
  state?: string | undefined;
  user_verify_url?: string | undefined;
}

/** Why an authorization failed, as an OAuth error. */
interface AuthorizationFailure {
  error: string;
  error_description: string;
}

/** The result of an authorization. */
export interface AuthorizationResult {
  account: Account;
  /** Where the browser goes next; undefined shows our own page. */
  location?: string;
  /** The pending consent that must still be confirmed. */
  auth_request_id?: string;
  refusal?: AuthorizationFailure;
}

/** Unverified (connected-accounts/auth-request-lifetime): the docs give no lifetime for auth requests. */
export const REQUEST_LIFETIME = 30 * 60_000;

/**
 * Records that the third party granted access. Only OAuth accounts need confirmation (Scalekit docs, User
 * verification).
 */
export function grantAccess(
  env: Env,
  account: Account,
  details: Details,
  way: ReturnTarget,
): AuthorizationResult {
  if (isConsentOnly(env, account)) return activateAccount(env, account, undefined);
  const verification = verificationOf(env, way);
  if (!details.oauth_token || verification === 'off') return activateAccount(env, account, details);
  const url = verifyUrl(env, way);
  if (verification === 'custom' && !url) return refuseAccess(env, account, NO_VERIFY_URL, way);
  const held = storePendingCredentials(env, account, details);
  if (verification === 'service') return held;
  const { auth_request_id } = held;
  return { ...held, location: withQuery(url, { auth_request_id, state: way.state || undefined }) };
}

/**
 * Records that the third party denied access; the account stays as it is.
 * Unverified (connected-accounts/refused-consent): an application that confirms users itself gets the error at its
 * `user_verify_url`.
 */
export function refuseAccess(
  env: Env,
  account: Account,
  refusal: AuthorizationFailure,
  way: ReturnTarget,
): AuthorizationResult {
  const isConfirmedElsewhere = isByConsent(account) && verificationOf(env, way) === 'custom';
  const url = isConfirmedElsewhere ? verifyUrl(env, way) : '';
  if (!url) return { account, refusal };
  env.decidedBy('connected-accounts/refused-consent');
  return { account, refusal, location: withQuery(url, { ...refusal, state: way.state || undefined }) };
}

/** Throws if the request can no longer be confirmed. */
export function pendingRequest(env: Env, id: string): Rows['auth_requests'] {
  const request = env.auth_requests.find(id);
  const over = (why: Cause) =>
    new ApiError('not_found', 'auth request not found or no longer valid', { why });
  if (!request) throw over({ kind: 'unknown', noun: 'auth request', wanted: shortened(id) });
  if (request.consumed)
    throw over(stateCause(`auth request ${id} was confirmed already`, rowNamed('auth_requests', request)));
  if (env.clock.isPast(request.expires_at))
    throw over(timeCause(request.expires_at, `auth request ${id} has expired`));
  return request;
}

/** Activates the account with the pending credentials. */
export function confirmUser(env: Env, request: Rows['auth_requests']): AuthorizationResult {
  const { authorization_details, token_expires_at } = request;
  const account = env.connected_accounts.get(request.connected_account_id);
  const verified = env.connected_accounts.update(account.id, {
    status: 'ACTIVE',
    updated_at: env.clock.iso(),
    ...(authorization_details && { authorization_details, token_expires_at, refresh_fails: undefined }),
  });
  env.auth_requests.update(request.id, { consumed: true });
  return authorizationResult(env, verified);
}

/** Whether the end user authorizes the account at the third party instead of entering credentials. */
export const isByConsent = ({ authorization_type }: Pick<Account, 'authorization_type'>) =>
  ['OAUTH', 'SMART_FHIR', 'TRELLO_OAUTH1'].includes(authorization_type);

/** Who confirms the user. `auto` is ours: with it a link without an address succeeds. */
export function verificationOf(env: Env, way: ReturnTarget): 'off' | 'service' | 'custom' {
  const { user_verification } = env.settings.get('settings');
  if (user_verification !== 'auto') return user_verification;
  return verifyUrl(env, way) ? 'custom' : 'off';
}

/** The address of the link, or else the one of the settings. */
export const verifyUrl = (env: Env, { user_verify_url }: ReturnTarget): string =>
  user_verify_url || (env.settings.get('settings').user_verify_url ?? '');

const NO_VERIFY_URL: AuthorizationFailure = {
  error: 'failed_to_exchange',
  error_description: 'user_verify_url not configured for verification redirect',
};

/** On an ORG_WIDE connection, the accounts of users only record their consent (descriptors of the Python SDK). */
const isConsentOnly = (env: Env, { connection_id, is_org_wide_credential }: Account) =>
  env.connections.get(connection_id).auth_mode === 'ORG_WIDE' && !is_org_wide_credential;

function activateAccount(
  env: Env,
  account: Account,
  authorization_details: Details | undefined,
): AuthorizationResult {
  const live = env.connected_accounts.update(account.id, {
    status: 'ACTIVE',
    updated_at: env.clock.iso(),
    authorization_details,
    refresh_fails: undefined,
    token_expires_at: authorization_details?.oauth_token ? env.clock.after(TOKEN_LIFETIME) : undefined,
  });
  if (authorization_details?.oauth_token) {
    emitAccountEvent(env, 'oauth_tokens_fetched', live);
    emitAccountEvent(env, 'oauth_succeeded', live);
  }
  return authorizationResult(env, live);
}

/** Stores the new credentials as pending; the account keeps its old ones until the user is confirmed. */
export function storePendingCredentials(
  env: Env,
  account: Account,
  authorization_details: Details,
): AuthorizationResult & { auth_request_id: string } {
  const { id, identifier } = account;
  const request = env.auth_requests.insert({
    id: env.draw.text(40),
    connected_account_id: id,
    identifier,
    expires_at: env.clock.after(REQUEST_LIFETIME),
    consumed: false,
    authorization_details,
    token_expires_at: env.clock.after(TOKEN_LIFETIME),
  });
  const held = env.connected_accounts.update(id, {
    status: 'PENDING_VERIFICATION',
    updated_at: env.clock.iso(),
  });
  return { account: held, auth_request_id: request.id };
}

/**
 * Unverified (connected-accounts/page-for-confirmed-users): if the settings name a page for confirmed users, every
 * authorization ends there.
 */
function authorizationResult(env: Env, account: Account): AuthorizationResult {
  const { post_user_verify_redirect_url: location } = env.settings.get('settings');
  if (!location) return { account };
  env.decidedBy('connected-accounts/page-for-confirmed-users');
  return { account, location };
}

type OauthToken = NonNullable<Details['oauth_token']>;

/** The display name of the account's application. */
export function providerName(env: Env, { connection_id }: Account): string {
  const { provider_key } = env.connections.get(connection_id);
  return env.providers.find(provider_key)?.display_name ?? provider_key;
}

/** The tokens that the third party issues. */
export function grantedTokens(env: Env, account: Account, given: Partial<OauthToken> = {}): Details {
  const { domain = '' } = account.authorization_details?.oauth_token ?? {};
  const access_token = `at_${env.draw.text(32)}`;
  const refresh_token = `rt_${env.draw.text(32)}`;
  const scopes = wantedScopes(env, account);
  return { oauth_token: { access_token, refresh_token, scopes, domain, ...given } };
}

export const DENIED: AuthorizationFailure = {
  error: 'access_denied',
  error_description: 'The user denied access.',
};

/** How the third party can fail, by OAuth error code (Scalekit docs, Troubleshooting). */
export const FAILURES: Readonly<Record<string, string>> = {
  server_error: 'The provider had an internal error.',
  temporarily_unavailable: 'The provider cannot serve requests at the moment.',
  invalid_request: 'The provider did not understand the request.',
  invalid_scope: 'The provider does not know one of the scopes.',
  unauthorized_client: 'The client may not ask the provider for access.',
  failed_to_exchange_token: 'Error executing post auth hooks',
};

/** Unverified (connected-accounts/default-refusal): the default error. */
export function failureNamed(error = 'server_error'): AuthorizationFailure {
  return { error, error_description: FAILURES[error] ?? 'The provider refused.' };
}
