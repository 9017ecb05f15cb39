import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError, notFound } from '../../errors.ts';
import { linkBody } from '../../pages/sign-in/message-pages.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { passwordlessConfig } from '../passwordless/credentials.ts';
import { verifyCredential } from '../passwordless/requests.ts';
import { checkCsrfToken, drawBrowserSecret, type BrowserCookies } from '../hosted/browser.ts';
import { acceptProvedAddress } from './account-creation.ts';
import { destinations, refuseEndedTransaction, type Transaction } from './transaction.ts';

export const linkPage = {
  LoginPage_OpenLink({ query, cookies }, env) {
    const { request, transaction } = mailedWith(env, query.link_token);
    if (cookies.understudy_login === transaction.browser_secret)
      return signIn(env, transaction, request, cookies, 302);
    refuseOtherBrowser(env);
    const action = `/ui/link?link_token=${encodeURIComponent(query.link_token)}`;
    const { csrf_token } = transaction;
    const body = linkBody({ action, csrf_token, email: request.email });
    return showPage({ title: 'Sign in here?', body, leadsTo: destinations(env, transaction) });
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
  if (request?.status === 'VERIFIED') throw new ApiError('gone', 'this link was used already');
  if (request?.status === 'EXPIRED') throw new ApiError('gone', 'this link has expired: start again');
  if (request?.status === 'BLOCKED')
    throw new ApiError('gone', 'too many wrong codes were entered: ask for another mail');
  if (!transaction) throw notFound('link', 'of a sign-in');
  refuseEndedTransaction(transaction);
  return { request, transaction };
}

function refuseOtherBrowser(env: Env): void {
  if (passwordlessConfig(env).isForSameBrowser)
    throw new ApiError('permission_denied', 'open this link in the browser that asked for it');
}

function signIn(
  env: Env,
  transaction: Transaction,
  request: Rows['passwordless_requests'],
  cookies: BrowserCookies,
  status: 302 | 303,
): CustomReply {
  verifyCredential(env, request, { link_token: request.link_token ?? '' });
  return acceptProvedAddress(env, transaction, request.email, cookies, status);
}
