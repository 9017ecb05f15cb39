import type { Env } from '../../environment/env.ts';
import { OAuthError } from '../../errors.ts';
import { deniedBody } from '../../pages/sign-in/message-pages.ts';
import { Redirect, showPage, type Answer } from '../answer.ts';
import { chooseConnection, type Choice } from '../identity-provider/choose-connection.ts';
import { startAddress } from '../identity-provider/social-connection.ts';
import { InterceptorDenial } from '../interceptors/ask.ts';
import { complete, completeModular, fail } from './complete.ts';
import { writeCookie, type BrowserCookies } from './device.ts';
import { demandProof } from './foreign-domain.ts';
import { isSilent, organizationOf } from './organization-choice.ts';
import { autoLogin, recognize } from './recognition.ts';
import type { Transaction } from './transaction.ts';

type Status = 302 | 303;

/** The next step of a sign-in: the page that asks for what is missing, or the application. */
export function nextStep(
  env: Env,
  begun: Transaction,
  browser: BrowserCookies,
  status: Status = 302,
): Answer {
  try {
    const choice = begun.intent === 'sign_up' ? undefined : wantedConnection(env, begun);
    const transaction = recognize(env, begun, browser, choice);
    const { user_id, identity } = transaction;
    const { full_stack_auth } = env.settings.get('settings');
    if (identity && !full_stack_auth) return completeModular(env, { ...transaction, identity }, status);
    if (user_id) return enter(env, { ...transaction, user_id }, browser, status);
    return findOut(env, transaction, choice, status);
  } catch (thrown) {
    if (thrown instanceof OAuthError) return fail(env, begun, thrown.error, thrown.message, status);
    if (thrown instanceof InterceptorDenial) return deny(env, begun, thrown.message, status);
    throw thrown;
  }
}

/** Only matters until the user is known. */
function wantedConnection(env: Env, transaction: Transaction): Choice {
  if (transaction.user_id || transaction.identity) return undefined;
  const choice = chooseConnection(env, transaction);
  if (choice && 'error' in choice) throw new OAuthError(choice.error, choice.error_description);
  return choice;
}

function enter(
  env: Env,
  transaction: Transaction & { user_id: string },
  browser: BrowserCookies,
  status: Status,
): Redirect {
  const waiting = demandProof(env, transaction);
  if (waiting) return ask(env, waiting, 'code', status);
  const entry = organizationOf(env, transaction);
  if ('error' in entry) return fail(env, transaction, entry.error, entry.error_description, status);
  if ('ask' in entry) return ask(env, transaction, entry.ask, status);
  const { organization_id } = entry;
  return complete(env, { ...transaction, ...(organization_id && { organization_id }) }, browser, status);
}

/** Asks who the user is: at an identity provider or on a page of ours. */
function findOut(env: Env, transaction: Transaction, choice: Choice, status: Status): Redirect {
  if (transaction.identity || transaction.intent === 'sign_up')
    return ask(env, transaction, 'sign-up', status);
  if (transaction.prompt.includes('none'))
    return fail(env, transaction, 'login_required', 'nobody is signed in', status);
  if (transaction.is_automatic)
    return fail(env, transaction, 'access_denied', whyNotAutomatic(env, transaction), status);
  if (choice && 'connection' in choice)
    return goOn(env, transaction, startAddress(env, transaction, choice.connection), status);
  return goOn(env, transaction, `${env.baseUrl}/ui/login/${transaction.id}`, status);
}

function whyNotAutomatic(env: Env, { login_hint }: Transaction): string {
  const email = login_hint ?? autoLogin(env);
  return email === undefined
    ? 'understudy_auto=1 does not say who signs in: add login_hint with the e-mail address of a user'
    : `nobody has the address ${email}`;
}

function ask(
  env: Env,
  transaction: Transaction,
  page: 'organization' | 'sign-up' | 'code',
  status: Status,
): Redirect {
  if (isSilent(transaction))
    return fail(env, transaction, 'interaction_required', `a page is needed: ${page}`, status);
  return goOn(env, transaction, `${env.baseUrl}/ui/login/${transaction.id}/${page}`, status);
}

/** Binds the browser to the sign-in with a cookie and redirects it. */
export function goOn(env: Env, { browser_secret }: Transaction, address: string, status: Status): Redirect {
  return new Redirect(address, { status, cookies: [writeCookie(env, 'understudy_login', browser_secret)] });
}

/**
 * Ends a sign-in that an interceptor denied. Unverified: a page shows the reason and leads back to the
 * application with `access_denied`; a silent sign-in returns at once.
 */
export function deny(env: Env, { id }: Transaction, message: string, status: 302 | 303): Answer {
  const transaction = env.login_transactions.get(id);
  const back = fail(env, transaction, 'access_denied', message, status);
  if (isSilent(transaction)) return back;
  const { name: application } = env.clients.get(transaction.client_id);
  const body = deniedBody({ application, message, back: String(back.headers['location']) });
  return showPage({ title: 'Not signed in', body }, { status: 403 });
}
