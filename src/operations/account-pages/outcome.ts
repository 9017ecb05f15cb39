import type { Env } from '../../environment/env.ts';
import { alert } from '../../pages/controls.ts';
import { html } from '../../pages/html.ts';
import { Redirect, showPage } from '../custom-reply.ts';
import { providerName, type AuthorizationResult } from '../connected-accounts/consent.ts';
import type { Operations } from '../handler.ts';
import {
  addressOf,
  authorizationOf,
  openAuthorization,
  outcomeAddressOf,
  type Authorization,
} from './authorization.ts';

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
  env.account_authorizations.update(authorization.id, {
    status: statusOf(ending),
    ...refusal,
  });
  return redirectTo(location ?? `${env.baseUrl}${outcomeAddressOf(authorization)}`);
}

/** Redirects to the page of the next step. */
export const redirectToPage = (env: Env, authorization: Authorization) =>
  redirectTo(`${env.baseUrl}${addressOf(authorization)}`);

const redirectTo = (address: string) => new Redirect(address, { status: 303 });

function statusOf({ refusal }: AuthorizationResult): Authorization['status'] {
  if (!refusal) return 'GRANTED';
  return refusal.error === 'access_denied' ? 'DENIED' : 'FAILED';
}
