import type { Env, Rows } from '../../state/env.ts';
import { ApiError } from '../../contract/errors.ts';
import { html, type Fragment } from '../../pages/html.ts';
import { sentence } from '../../pages/controls.ts';
import { showPage, withQuery, type CustomReply, type Operations } from '../handler.ts';
import { startAddress } from '../connections/sign-in-connection.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import { applicationName, brandedOrganization, lookOf } from './appearance.ts';
import { discover, environmentConnections } from './discovery.ts';
import { mailedWhat } from './mailed-code.ts';
import { SIGN_IN_SCRIPT } from '../passkeys/passkey-forms.ts';
import { passkeyOffer } from './passkey-offer.ts';
import { signInBody, usersToPick } from './sign-in-form.ts';
import { redirectTo, nextStep } from './steps.ts';
import {
  beginAgain,
  noteStep,
  openTransaction,
  pagePath,
  submittedTransaction,
  type Transaction,
} from './transaction.ts';

export const loginPage = {
  LoginPage_Show({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    env.trace(() => noteStep(env, transaction, 'Login page loaded'));
    return signInPage(env, transaction);
  },

  LoginPage_SignIn({ path, cookies, body = {} }, env) {
    const begun = submittedTransaction(env, path.transaction_id, cookies, body);
    const transaction = beginAgain(env, begun, 'sign_in');
    if (body.connection_id) return withConnection(env, transaction, body.connection_id);
    if (body.user_id) return signInAs(env, transaction, env.users.get(body.user_id), cookies);
    return withAddress(env, transaction, body.email?.trim() ?? '', cookies);
  },
} satisfies Partial<Operations>;

function withConnection(env: Env, transaction: Transaction, id: string): CustomReply {
  const connection = environmentConnections(env).find((each) => each.id === id);
  if (!connection) return signInPage(env, transaction, { problem: 'This way to sign in is not available.' });
  return redirectTo(env, transaction, startAddress(env, transaction, connection), 303);
}

function withAddress(
  env: Env,
  transaction: Transaction,
  email: string,
  cookies: BrowserCookies,
): CustomReply {
  try {
    const found = discover(env, transaction, email);
    if (!found) return signInPage(env, transaction, { email, problem: unknownAddress(transaction, email) });
    if ('connection' in found)
      return redirectTo(env, found.transaction, startAddress(env, found.transaction, found.connection), 303);
    if ('known' in found) return nextStep(env, found.known, cookies, 303);
    return redirectTo(env, found.waiting, pagePath(found.waiting, 'code'), 303);
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.failure === 'rate_limited')
      return signInPage(env, transaction, { email, problem: sentence(thrown.message) });
    throw thrown;
  }
}

const unknownAddress = (transaction: Transaction, email: string): Fragment =>
  html`No user has this address. <a href="${signUpAddress(transaction, email)}">Sign up with it</a>`;

const signUpAddress = (transaction: Transaction, email?: string) =>
  withQuery(pagePath(transaction, 'sign-up'), { email });

function signInAs(env: Env, { id }: Transaction, user: Rows['users'], cookies: BrowserCookies): CustomReply {
  return nextStep(env, env.login_transactions.update(id, { user_id: user.id }), cookies, 303);
}

export function signInPage(
  env: Env,
  transaction: Transaction,
  { email = transaction.login_hint, problem }: { email?: string | undefined; problem?: Fragment } = {},
): CustomReply {
  const { csrf_token } = transaction;
  const name = applicationName(env, transaction);
  const passkey = passkeyOffer(env, transaction);
  const body = signInBody({
    passkey,
    action: pagePath(transaction),
    csrf_token,
    application: name,
    organization: brandedOrganization(env, transaction)?.display_name,
    email,
    problem,
    mailed: mailedWhat(env),
    connections: environmentConnections(env).map(({ id, ui_button_title, provider }) => ({
      value: id,
      name: ui_button_title || `Continue with ${provider}`,
    })),
    users: usersToPick(env),
    signUpAddress: signUpAddress(transaction),
  });
  const look = lookOf(env, transaction);
  const sheet = { title: `Sign in to ${name}`, body, look, ...(passkey && { script: SIGN_IN_SCRIPT }) };
  return showPage(sheet, { status: problem ? 400 : 200 });
}
