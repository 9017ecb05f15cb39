import type { World } from '../../world/world.ts';
import { Redirect } from '../answer.ts';
import { complete } from './complete.ts';
import { writeCookie, type BrowserCookies } from './cookies.ts';
import type { Transaction } from './transaction.ts';

/** Where a sign-in goes on, by what is known of it: the page of what is missing, or back to the application. */
export function nextStep(
  world: World,
  transaction: Transaction,
  browser: BrowserCookies,
  status: 302 | 303 = 302,
): Redirect {
  const { user_id } = transaction;
  if (user_id) return complete(world, { ...transaction, user_id }, browser, status);
  const cookies = [writeCookie(world, 'understudy_login', transaction.browser_secret)];
  return new Redirect(`${world.baseUrl}/ui/login/${transaction.id}`, { status, cookies });
}
