import { rowNamed, timeCause } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { ApiError, notFound } from '../../contract/errors.ts';
import { form } from '../../pages/controls.ts';
import { html } from '../../pages/html.ts';
import { showPage, type CustomReply, type Operations } from '../handler.ts';
import { passwordlessConfig, verifyCredential } from '../passwordless/passwordless.ts';
import { checkCsrfToken, drawBrowserSecret, type BrowserCookies } from '../hosted/browser.ts';
import { proveAddress } from './address-proof.ts';
import { continueSignIn } from './continuation.ts';
import { refuseEndedTransaction, type Transaction } from './transaction.ts';

type MailedRequest = Rows['passwordless_requests'];

export const linkPage = {
  LoginPage_OpenLink({ query, cookies }, env) {
    const { request, transaction } = mailedWith(env, query.link_token);
    if (cookies.understudy_login === transaction.browser_secret)
      return signIn(env, transaction, request, cookies, 302);
    refuseOtherBrowser(env);
    return otherBrowserPage(transaction, request);
  },

  LoginPage_ConfirmLink({ query, cookies, body }, env) {
    const { request, transaction } = mailedWith(env, query.link_token);
    checkCsrfToken(body, transaction.csrf_token);
    if (cookies.understudy_login === transaction.browser_secret)
      return signIn(env, transaction, request, cookies, 303);
    refuseOtherBrowser(env);
    const moved = env.login_transactions.update(transaction.id, { browser_secret: drawBrowserSecret(env) });
    return signIn(env, moved, request, cookies, 303);
  },
} satisfies Partial<Operations>;

function mailedWith(env: Env, link_token: string) {
  const request = env.passwordless_requests.findBy('link_token', link_token);
  const transaction = request && env.login_transactions.findBy('passwordless_request_id', request.id);
  if (request?.status === 'VERIFIED')
    throw new ApiError('gone', 'this link was used already', {
      why: { kind: 'state', rows: [rowNamed('passwordless_requests', request)] },
    });
  if (request?.status === 'EXPIRED')
    throw new ApiError('gone', 'this link has expired: start again', {
      why: timeCause(request.expires_at, 'this link has expired'),
    });
  if (request?.status === 'BLOCKED')
    throw new ApiError('gone', 'too many wrong codes were entered: ask for another mail', {
      why: { kind: 'limit' },
    });
  if (!transaction) throw notFound('link', 'of a sign-in');
  refuseEndedTransaction(transaction);
  return { request, transaction };
}

/** In a browser other than the one that asked for the link, opening the mail alone must not sign in. */
function otherBrowserPage(transaction: Transaction, request: MailedRequest): CustomReply {
  const { email, link_token = '' } = request;
  const action = `/ui/link?link_token=${encodeURIComponent(link_token)}`;
  const content = html`<button>Continue</button>`;
  const title = 'Sign in here?';
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p>
      The link for <strong>${email}</strong> was asked for in another browser. You can continue in this one.
    </p>
    ${form({ action, csrf_token: transaction.csrf_token, content })}
  </section>`;
  return showPage({ title, body });
}

function refuseOtherBrowser(env: Env): void {
  if (passwordlessConfig(env).isForSameBrowser)
    throw new ApiError('permission_denied', 'open this link in the browser that asked for it');
}

function signIn(
  env: Env,
  transaction: Transaction,
  request: MailedRequest,
  cookies: BrowserCookies,
  status: 302 | 303,
): CustomReply {
  verifyCredential(env, request, { link_token: request.link_token ?? '' });
  const proof = { email: request.email, verified_with: 'link' } as const;
  return continueSignIn(env, proveAddress(env, transaction, proof), cookies, status);
}
