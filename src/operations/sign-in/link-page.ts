import { ApiError, invalidArgument, notFound } from '../../errors.ts';
import { linkBody } from '../../pages/sign-in/link-page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import type { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { passwordlessConfig } from '../passwordless/passwordless-config.ts';
import { redeem } from '../passwordless/requests.ts';
import type { BrowserCookies } from './cookies.ts';
import { prove } from './proved-address.ts';
import { destinations, refuseOver, type Transaction } from './transaction.ts';

export const linkPage = {
  LoginPage_OpenLink({ query, cookies }, world) {
    const { request, transaction } = mailedWith(world, query.link_token);
    if (cookies.understudy_login === transaction.browser_secret)
      return signIn(world, transaction, request, cookies, 302);
    refuseOtherBrowser(world);
    const action = `/ui/link?link_token=${encodeURIComponent(query.link_token)}`;
    const { csrf_token } = transaction;
    const body = linkBody({ action, csrf_token, email: request.email });
    return showPage({ title: 'Sign in here?', body, leadsTo: destinations(world, transaction) });
  },

  LoginPage_ConfirmLink({ query, cookies, body }, world) {
    const { request, transaction } = mailedWith(world, query.link_token);
    if (body?.csrf_token !== transaction.csrf_token)
      throw invalidArgument('the form was not sent from its page: load the page again');
    if (cookies.understudy_login === transaction.browser_secret)
      return signIn(world, transaction, request, cookies, 303);
    refuseOtherBrowser(world);
    const browser_secret = carrying(world, world.draw.text(32));
    const moved = world.login_transactions.update(transaction.id, { browser_secret });
    return signIn(world, moved, request, cookies, 303);
  },
} satisfies Partial<Operations>;

function mailedWith(world: World, link_token: string) {
  const request = world.passwordless_requests.findBy('link_token', link_token);
  const transaction = request && world.login_transactions.findBy('passwordless_request_id', request.id);
  if (request?.status === 'VERIFIED') throw new ApiError('gone', 'this link was used already');
  if (request?.status === 'EXPIRED') throw new ApiError('gone', 'this link has expired: begin again');
  if (request?.status === 'BLOCKED')
    throw new ApiError('gone', 'too many wrong codes were entered: have another mail sent');
  if (!transaction) throw notFound('link', 'of a sign-in');
  refuseOver(transaction);
  return { request, transaction };
}

function refuseOtherBrowser(world: World): void {
  if (passwordlessConfig(world).isForSameBrowser)
    throw new ApiError('permission_denied', 'open this link in the browser that asked for it');
}

function signIn(
  world: World,
  transaction: Transaction,
  request: Rows['passwordless_requests'],
  cookies: BrowserCookies,
  status: 302 | 303,
): Answer {
  redeem(world, request, { link_token: request.link_token ?? '' });
  return prove(world, transaction, request.email, cookies, status);
}
