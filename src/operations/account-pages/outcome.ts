import { html } from '../../pages/html.ts';
import { alert } from '../../pages/parts.ts';
import { Redirect } from '../answer.ts';
import { providerName } from '../connected-accounts/third-party.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { addressOf, authorizationOf, openAuthorization } from './authorization.ts';

export const accountOutcome = {
  /** It tells nothing of any account: whoever has the address may open it. */
  AccountPage_ShowSuccess() {
    const body = html`<section class="card">
      <h1>Connected</h1>
      <p class="faint">You can close this window.</p>
    </section>`;
    return showPage({ title: 'Connected', body });
  },

  AccountPage_ShowOutcome({ path, cookies }, world) {
    const authorization = authorizationOf(world, path.authorization_id, cookies);
    const { status, error, error_description } = authorization;
    if (status === 'EXPIRED') openAuthorization(world, path.authorization_id, cookies);
    if (status === 'PENDING') return new Redirect(`${world.baseUrl}${addressOf(authorization)}`);
    const account = world.connected_accounts.get(authorization.connected_account_id);
    const name = providerName(world, account);
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
