import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Redirect } from '../custom-reply.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';
import { checkCsrfToken, drawFormSecrets, redirectWithCookie } from '../hosted/browser.ts';

export type Authorization = Rows['account_authorizations'];

/** The cookies that these pages read. */
export interface AccountCookies {
  /** Proves that this browser began the authorization. */
  understudy_connect?: string | undefined;
}

/** Unverified: the docs mention a time limit without a number. */
const LIFETIME = 30 * 60_000;

/** Begins the authorization that a link is for. */
function beginAuthorization(
  env: Env,
  { id, connected_account_id, state, user_verify_url }: Rows['magic_links'],
  { understudy_connect }: AccountCookies,
): Authorization {
  return env.account_authorizations.insert({
    id: withEnvironmentName(env, env.draw.id('cauth')),
    connected_account_id,
    magic_link_id: id,
    status: 'PENDING',
    ...drawFormSecrets(env, understudy_connect),
    created_at: env.clock.iso(),
    expires_at: env.clock.after(LIFETIME),
    ...(state && { state }),
    ...(user_verify_url && { user_verify_url }),
  });
}

/** Finds an authorization that this browser began, finished or not. */
export function authorizationOf(env: Env, id: string, cookies: AccountCookies): Authorization {
  const authorization = env.account_authorizations.find(id);
  if (!authorization) throw notFound('authorization', id);
  if (authorization.browser_secret !== cookies.understudy_connect)
    throw new ApiError(
      'permission_denied',
      'invalid state: it was started in another browser, ask for a new link',
    );
  return authorization;
}

/** Like `authorizationOf`, but throws if the authorization is finished. */
export function openAuthorization(env: Env, id: string, cookies: AccountCookies): Authorization {
  const authorization = authorizationOf(env, id, cookies);
  if (authorization.status === 'EXPIRED')
    throw new ApiError('gone', 'session expired or invalid: ask for a new link');
  if (authorization.status !== 'PENDING')
    throw new ApiError('gone', 'this authorization is over: ask for a new link to authorize once more');
  return authorization;
}

/** Like `openAuthorization`, and checks the CSRF token of the form. */
export function submittedAuthorization(
  env: Env,
  id: string,
  cookies: AccountCookies,
  form: { csrf_token?: string } | undefined,
): Authorization {
  const authorization = openAuthorization(env, id, cookies);
  checkCsrfToken(form, authorization.csrf_token);
  return authorization;
}

export const addressOf = ({ id }: Authorization) => `/ui/connect/${id}`;

export const outcomeAddressOf = (authorization: Authorization) => `${addressOf(authorization)}/done`;

/**
 * Redirects the end user of a connected account to the third party. Unverified: the browser that opened the
 * link may open it again until the authorization ends.
 */
export function openAccountLink(env: Env, token: string, cookies: AccountCookies): Redirect {
  const link = env.magic_links.find(token);
  if (!link) throw new ApiError('not_found', 'this link is unknown: ask for a new one');
  const begun = env.account_authorizations
    .list('magic_link_id', link.id)
    .find(
      ({ status, browser_secret }) => status === 'PENDING' && browser_secret === cookies.understudy_connect,
    );
  if (begun) return redirectToPage(env, begun);
  if (link.used_at) throw new ApiError('gone', 'this link was used before: ask for a new one');
  if (env.clock.isPast(link.expires_at))
    throw new ApiError('gone', 'this link has expired: ask for a new one');
  env.magic_links.update(link.id, { used_at: env.clock.iso() });
  return redirectToPage(env, beginAuthorization(env, link, cookies));
}

const redirectToPage = (env: Env, authorization: Authorization) =>
  redirectWithCookie(env, `${env.baseUrl}${addressOf(authorization)}`, {
    name: 'understudy_connect',
    value: authorization.browser_secret,
  });
