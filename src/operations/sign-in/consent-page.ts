import type { Env } from '../../state/env.ts';
import { alert, form } from '../../pages/controls.ts';
import { breakable, html, type Html } from '../../pages/html.ts';
import { isWebAddress } from '@understudy/text/addresses';
import { Redirect, showPage, type CustomReply, type Operations } from '../handler.ts';
import { consentDetails } from '../resources/consents.ts';
import { isSelfMade, type Client } from '../resources/resource-clients.ts';
import { failSignIn } from './complete.ts';
import { isOptional, termsOf, withoutLeftOut } from './consent.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

export const consentPage = {
  LoginPage_ShowConsent({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    return termsOf(env, transaction)?.subject
      ? askForConsent(env, transaction)
      : new Redirect(pagePath(transaction));
  },

  LoginPage_Consent({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const terms = termsOf(env, transaction);
    if (!terms?.subject) return new Redirect(pagePath(transaction), { status: 303 });
    if (body?.decision === 'deny')
      return failSignIn(env, transaction, 'access_denied', 'the user denied the request', 303);
    if (body?.decision !== 'allow') return askForConsent(env, transaction, 'Choose Allow or Deny.');
    const kept = [body.scope ?? []].flat();
    const allowed = env.login_transactions.update(transaction.id, {
      consent_of: terms.subject,
      ...(isChosen(env, transaction) && { scopes: withoutLeftOut(terms.scopes, kept) }),
    });
    return nextStep(env, allowed, cookies, 303);
  },
} satisfies Partial<Operations>;

/** Whether the resource lets users leave out scopes. */
const isChosen = (env: Env, { resource_id = '' }: Transaction) =>
  env.resources.get(resource_id).resource_scope_selection_allowed === true;

/** Asks whether a client may use a protected resource in the user's name. */
function askForConsent(env: Env, transaction: Transaction, problem?: string): CustomReply {
  const { client_id, csrf_token, redirect_uri } = transaction;
  const { client, resource, scopes, user, organization } = consentDetails(env, transaction);
  const row = env.clients.get(client_id);
  const choice = isChosen(env, transaction);
  const whose = organization ? ` of ${organization.organization_name}` : '';
  const body = html`<section class="card">
    <h1>Allow access to ${resource.name}?</h1>
    <p>
      <strong>${client.name || client.client_id}</strong> asks to use ${resource.name} as
      ${breakable(user?.email ?? '')}${whose}.
    </p>
    ${problem && alert('bad', problem)} ${!choice && scopeList(scopes)}
    ${isSelfMade(row) && alert('note', 'This client registered itself: nobody has checked its name.')}
    ${form({ action: pagePath(transaction, 'consent'), csrf_token, content: choice ? [scopeChoice(scopes), DECISION] : DECISION })}
    <p class="faint">Afterwards you go to ${breakable(destination(redirect_uri))}.</p>
    ${clientLinks(row)}
    <p class="faint">Not you? <a href="${pagePath(transaction)}">Sign in as another user</a></p>
  </section>`;
  const sheet = { title: `Allow ${client.name}?`, body };
  return showPage(sheet, { status: problem ? 400 : 200 });
}

const DECISION = html`<button name="decision" value="allow" autofocus>Allow</button>
  <button class="quiet" name="decision" value="deny">Deny</button>`;

const scopeList = (scopes: ReturnType<typeof consentDetails>['scopes']): Html | false =>
  scopes.length > 0 &&
  html`<h2>Requested access</h2>
    <ul>
      ${scopes.map(({ name, description }) => html`<li>${description} <code>${name}</code></li>`)}
    </ul>`;

const scopeChoice = (scopes: ReturnType<typeof consentDetails>['scopes']): Html =>
  html`<fieldset>
    <legend>Requested access</legend>
    ${scopes.map(
      ({ name, description }) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            name="scope"
            value="${name}"
            checked
            ${!isOptional(name) && html`disabled`}
          />
          ${description} <code>${name}</code></label
        >`,
    )}
  </fieldset>`;

/** Pages of the client. They come from outside, so only web addresses are shown. */
function clientLinks({ client_uri, tos_uri, policy_uri }: Client): Html | false {
  const links = Object.entries({ 'About the client': client_uri, Terms: tos_uri, Privacy: policy_uri });
  const shown = links.filter((pair): pair is [string, string] => isWebAddress(pair[1] ?? ''));
  return (
    shown.length > 0 &&
    html`<p class="faint">
      ${shown.map(([text, address]) => html`<a href="${address}" rel="noreferrer">${text}</a> `)}
    </p>`
  );
}

/** The host that gets the code, which is what a user can judge. */
const destination = (address: string) =>
  URL.canParse(address) ? new URL(address).host || new URL(address).protocol : address;
