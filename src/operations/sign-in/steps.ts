import type { Env } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { alert } from '../../pages/controls.ts';
import { html } from '../../pages/html.ts';
import { showPage, type CustomReply, type Redirect } from '../handler.ts';
import { chooseConnection, type ConnectionChoice, startAddress } from '../connections/sign-in-connection.ts';
import { InterceptorDenial } from '../interceptors/ask.ts';
import { redirectWithCookie, type BrowserCookies } from '../hosted/browser.ts';
import { awaitsSecondFactor } from '../totp/registrations.ts';
import { grantableScopes, needsConsent } from './consent.ts';
import { completeSignIn, completeModularSignIn, failSignIn } from './complete.ts';
import { requireAddressProof } from './foreign-domain.ts';
import { isSilent, chooseOrganization } from './organization-choice.ts';
import { offersNewPasskey } from './passkey-offer.ts';
import { autoLogin, isOtherUser, recognize } from './recognition.ts';
import { pagePath, type Transaction } from './transaction.ts';

type RedirectStatus = 302 | 303;

/** The next step of a sign-in: the page that asks for what is missing, or the application. */
export function nextStep(
  env: Env,
  begun: Transaction,
  browser: BrowserCookies,
  status: RedirectStatus = 302,
): CustomReply {
  try {
    const choice = begun.intent === 'sign_up' ? undefined : wantedConnection(env, begun);
    const transaction = recognize(env, begun, browser, choice);
    const { user_id, identity } = transaction;
    const { full_stack_auth } = env.settings.get('settings');
    if (identity && !full_stack_auth) {
      const known = { ...transaction, identity };
      return consentStep(env, known, status) ?? completeModularSignIn(env, known, status);
    }
    if (user_id) return enterOrganization(env, { ...transaction, user_id }, browser, status);
    return askWho(env, transaction, choice, status);
  } catch (thrown) {
    if (thrown instanceof OAuthError) return failSignIn(env, begun, thrown.error, thrown.message, status);
    if (thrown instanceof InterceptorDenial) return denySignIn(env, begun, thrown.message, status);
    throw thrown;
  }
}

/** Only matters until the user is known. */
function wantedConnection(env: Env, transaction: Transaction): ConnectionChoice {
  if (transaction.user_id || transaction.identity) return undefined;
  const choice = chooseConnection(env, transaction);
  if (choice && 'error' in choice) throw new OAuthError(choice.error, choice.error_description);
  return choice;
}

function enterOrganization(
  env: Env,
  transaction: Transaction & { user_id: string },
  browser: BrowserCookies,
  status: RedirectStatus,
): Redirect {
  const { hinted_subject, user_id } = transaction;
  if (isOtherUser(hinted_subject, user_id))
    return failSignIn(
      env,
      transaction,
      'login_required',
      'another user signed in than id_token_hint names',
      status,
    );
  const waiting = requireAddressProof(env, transaction);
  if (waiting) return redirectToPage(env, waiting, 'code', status);
  if (awaitsSecondFactor(env, transaction)) return redirectToPage(env, transaction, 'second-factor', status);
  if (offersNewPasskey(env, transaction)) return redirectToPage(env, transaction, 'new-passkey', status);
  const entry = chooseOrganization(env, transaction);
  if ('error' in entry) return failSignIn(env, transaction, entry.error, entry.error_description, status);
  if ('ask' in entry) return redirectToPage(env, transaction, entry.ask, status);
  const { organization_id } = entry;
  const known = { ...transaction, ...(organization_id && { organization_id }) };
  const granted = { ...known, scopes: grantableScopes(env, known) };
  return consentStep(env, granted, status) ?? completeSignIn(env, granted, browser, status);
}

/** Asks the user to allow what a client of a protected resource wants. undefined: there is nothing to ask. */
function consentStep(env: Env, transaction: Transaction, status: RedirectStatus): Redirect | undefined {
  if (!needsConsent(env, transaction)) return undefined;
  if (transaction.prompt.includes('none'))
    return failSignIn(env, transaction, 'consent_required', 'the user has not allowed these scopes', status);
  const { id, scopes, identity, organization_id } = transaction;
  const asked = env.login_transactions.update(id, {
    scopes,
    ...(identity && { identity }),
    ...(organization_id && { organization_id }),
  });
  return redirectTo(env, asked, `${env.baseUrl}${pagePath(asked, 'consent')}`, status);
}

/** Asks who the user is: at an identity provider or on a page of ours. */
function askWho(
  env: Env,
  transaction: Transaction,
  choice: ConnectionChoice,
  status: RedirectStatus,
): Redirect {
  if (transaction.identity || transaction.intent === 'sign_up')
    return redirectToPage(env, transaction, 'sign-up', status);
  if (transaction.prompt.includes('none'))
    return failSignIn(env, transaction, 'login_required', 'nobody is signed in', status);
  if (transaction.is_automatic)
    return failSignIn(env, transaction, 'access_denied', whyNotAutomatic(env, transaction), status);
  if (choice && 'connection' in choice)
    return redirectTo(env, transaction, startAddress(env, transaction, choice.connection), status);
  return redirectTo(env, transaction, `${env.baseUrl}/ui/login/${transaction.id}`, status);
}

function whyNotAutomatic(env: Env, { login_hint }: Transaction): string {
  const email = login_hint ?? autoLogin(env);
  return email === undefined
    ? 'understudy_auto=1 does not say who signs in: add login_hint with the e-mail address of a user'
    : `no user has the address ${email}`;
}

function redirectToPage(
  env: Env,
  transaction: Transaction,
  page: 'organization' | 'sign-up' | 'code' | 'second-factor' | 'new-passkey',
  status: RedirectStatus,
): Redirect {
  if (isSilent(transaction))
    return failSignIn(env, transaction, 'interaction_required', `a page is needed: ${page}`, status);
  return redirectTo(env, transaction, `${env.baseUrl}/ui/login/${transaction.id}/${page}`, status);
}

/** Binds the browser to the sign-in with a cookie and redirects it. */
export function redirectTo(
  env: Env,
  { browser_secret }: Transaction,
  address: string,
  status: RedirectStatus,
): Redirect {
  return redirectWithCookie(env, address, { name: 'understudy_login', value: browser_secret, status });
}

/**
 * Ends a sign-in that an interceptor denied. Unverified (interceptors/denied-sign-in): a page shows the reason and
 * leads back to the application with `access_denied`; a silent sign-in returns at once.
 */
function denySignIn(env: Env, { id }: Transaction, message: string, status: 302 | 303): CustomReply {
  env.decidedBy('interceptors/denied-sign-in');
  const transaction = env.login_transactions.get(id);
  const back = failSignIn(env, transaction, 'access_denied', message, status);
  if (isSilent(transaction)) return back;
  const body = html`<section class="card">
    <h1>Not signed in</h1>
    ${alert('bad', message)}
    <a class="button quiet" href="${String(back.headers['location'])}"
      >Back to ${env.clients.get(transaction.client_id).name}</a
    >
  </section>`;
  return showPage({ title: 'Not signed in', body }, { status: 403 });
}
