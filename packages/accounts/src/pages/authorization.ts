import { stateCause, timeCause } from '@understudy/core/contract/cause';
import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError, notFound } from '@understudy/core/contract/errors';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { alert } from '@understudy/core/pages/controls';
import { html } from '@understudy/core/pages/html';
import { Redirect, showPage, type Operations } from '@understudy/core/operations/handler';
import {
  checkCsrfToken,
  drawFormSecrets,
  redirectWithCookie,
} from '@understudy/core/operations/hosted/browser';
import { providerName, type AuthorizationResult } from '../accounts/consent.ts';

export type Authorization = Rows['account_authorizations'];

/** The cookies that these pages read. */
interface AccountCookies {
  /** Proves that this browser began the authorization. */
  understudy_connect?: string | undefined;
}

/** Unverified (connected-accounts/authorization-lifetime): the docs mention a time limit without a number. */
const LIFETIME = 30 * 60_000;

/** Begins the authorization that a link is for. */
function beginAuthorization(
  env: Env,
  { id, connected_account_id, state, user_verify_url }: Rows['magic_links'],
  { understudy_connect }: AccountCookies,
): Authorization {
  return env.account_authorizations.insert({
    id: withEnvironmentName(env, env.draw.key('cauth')),
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
function authorizationOf(env: Env, id: string, cookies: AccountCookies): Authorization {
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
    throw new ApiError('gone', 'session expired or invalid: ask for a new link', {
      why: timeCause(authorization.expires_at, 'the authorization has expired'),
    });
  if (authorization.status !== 'PENDING')
    throw new ApiError('gone', 'this authorization is over: ask for a new link to authorize once more', {
      why: { kind: 'state' },
    });
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

/**
 * Redirects the end user of a connected account to the third party. Unverified (connected-accounts/link-opened-again):
 * the browser that opened the link may open it again until the authorization ends.
 */
export function openAccountLink(env: Env, token: string, cookies: AccountCookies): Redirect {
  const link = env.magic_links.find(token);
  if (!link)
    throw new ApiError('not_found', 'this link is unknown: ask for a new one', {
      why: { kind: 'unknown', says: 'no connected account has the link, or the state was reset' },
    });
  const begun = env.account_authorizations
    .list('magic_link_id', link.id)
    .find(
      ({ status, browser_secret }) => status === 'PENDING' && browser_secret === cookies.understudy_connect,
    );
  if (begun) {
    env.decidedBy('connected-accounts/link-opened-again');
    return redirectToFirstPage(env, begun);
  }
  if (link.used_at)
    throw new ApiError('gone', 'this link was used before: ask for a new one', {
      why: stateCause(`the link was used at ${link.used_at}`),
    });
  if (env.clock.isPast(link.expires_at))
    throw new ApiError('gone', 'this link has expired: ask for a new one', {
      why: timeCause(link.expires_at, 'this link has expired'),
    });
  env.magic_links.update(link.id, { used_at: env.clock.iso() });
  return redirectToFirstPage(env, beginAuthorization(env, link, cookies));
}

const redirectToFirstPage = (env: Env, authorization: Authorization) =>
  redirectWithCookie(env, `${env.baseUrl}${addressOf(authorization)}`, {
    name: 'understudy_connect',
    value: authorization.browser_secret,
  });

export const accountOutcome = {
  /** Says nothing about the account: anybody who has the address may open this page. */
  AccountPage_ShowSuccess() {
    const body = html`<section class="card">
      <h1>Connected</h1>
      <p class="faint">You can close this window.</p>
    </section>`;
    return showPage({ title: 'Connected', body });
  },

  AccountPage_ShowOutcome({ path, cookies }, env) {
    const authorization = authorizationOf(env, path.authorization_id, cookies);
    const { status, error, error_description } = authorization;
    if (status === 'EXPIRED') openAuthorization(env, path.authorization_id, cookies);
    if (status === 'PENDING') return new Redirect(`${env.baseUrl}${addressOf(authorization)}`);
    const account = env.connected_accounts.get(authorization.connected_account_id);
    const name = providerName(env, account);
    const title = status === 'GRANTED' ? `${name} is connected` : `${name} is not connected`;
    const body = html`<section class="card">
      <h1>${title}</h1>
      ${
        status === 'GRANTED'
          ? alert('good', `Access was given for ${account.identifier}.`)
          : [
              alert('bad', error_description),
              html`<dl>
                <dt>Error</dt>
                <dd><code>${error}</code></dd>
              </dl>`,
            ]
      }
      <p class="faint">You can close this page.</p>
    </section>`;
    return showPage({ title, body });
  },
} satisfies Partial<Operations>;

/** Redirects the browser to the application, to the confirmation page, or to the outcome page. */
export function finishAuthorization(
  env: Env,
  authorization: Authorization,
  ending: AuthorizationResult,
): Redirect {
  const { location, auth_request_id, refusal } = ending;
  if (auth_request_id && !location) {
    env.account_authorizations.update(authorization.id, { auth_request_id });
    return redirectToPage(env, authorization);
  }
  env.account_authorizations.update(authorization.id, { status: statusOf(ending), ...refusal });
  return redirectTo(location ?? `${env.baseUrl}${addressOf(authorization)}/done`);
}

/** Redirects to the page of the next step. */
export const redirectToPage = (env: Env, authorization: Authorization) =>
  redirectTo(`${env.baseUrl}${addressOf(authorization)}`);

const redirectTo = (address: string) => new Redirect(address, { status: 303 });

function statusOf({ refusal }: AuthorizationResult): Authorization['status'] {
  if (!refusal) return 'GRANTED';
  return refusal.error === 'access_denied' ? 'DENIED' : 'FAILED';
}
