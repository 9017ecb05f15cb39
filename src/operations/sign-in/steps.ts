import { OAuthError } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import { chooseConnection, type Choice } from '../identity-provider/choose-connection.ts';
import { startAddress } from '../identity-provider/start-address.ts';
import { InterceptorDenial } from '../interceptors/ask.ts';
import { completeModular } from './complete-modular.ts';
import { complete, fail } from './complete.ts';
import { writeCookie, type BrowserCookies } from './cookies.ts';
import { deny } from './denial.ts';
import { demandProof } from './foreign-domain.ts';
import { isSilent, organizationOf } from './organization-choice.ts';
import { autoLogin, recognize } from './recognition.ts';
import type { Transaction } from './transaction.ts';

type Status = 302 | 303;

/** Where a sign-in goes on, by what is known of it: the page of what is missing, or back to the application. */
export function nextStep(
  world: World,
  begun: Transaction,
  browser: BrowserCookies,
  status: Status = 302,
): Answer {
  try {
    const choice = begun.intent === 'sign_up' ? undefined : wantedConnection(world, begun);
    const transaction = recognize(world, begun, browser, choice);
    const { user_id, identity } = transaction;
    const { full_stack_auth } = world.settings.get('settings');
    if (identity && !full_stack_auth) return completeModular(world, { ...transaction, identity }, status);
    if (user_id) return enter(world, { ...transaction, user_id }, browser, status);
    return findOut(world, transaction, choice, status);
  } catch (thrown) {
    if (thrown instanceof OAuthError) return fail(world, begun, thrown.error, thrown.message, status);
    if (thrown instanceof InterceptorDenial) return deny(world, begun, thrown.message, status);
    throw thrown;
  }
}

/** Until somebody is known, it matters how they are to prove who they are. */
function wantedConnection(world: World, transaction: Transaction): Choice {
  if (transaction.user_id || transaction.identity) return undefined;
  const choice = chooseConnection(world, transaction);
  if (choice && 'error' in choice) throw new OAuthError(choice.error, choice.error_description);
  return choice;
}

function enter(
  world: World,
  transaction: Transaction & { user_id: string },
  browser: BrowserCookies,
  status: Status,
): Redirect {
  const waiting = demandProof(world, transaction);
  if (waiting) return ask(world, waiting, 'code', status);
  const entry = organizationOf(world, transaction);
  if ('error' in entry) return fail(world, transaction, entry.error, entry.error_description, status);
  if ('ask' in entry) return ask(world, transaction, entry.ask, status);
  const { organization_id } = entry;
  return complete(world, { ...transaction, ...(organization_id && { organization_id }) }, browser, status);
}

/** Somebody has to say who they are: to an identity provider, or on a page of ours. */
function findOut(world: World, transaction: Transaction, choice: Choice, status: Status): Redirect {
  if (transaction.identity || transaction.intent === 'sign_up')
    return ask(world, transaction, 'sign-up', status);
  if (transaction.prompt.includes('none'))
    return fail(world, transaction, 'login_required', 'nobody is signed in', status);
  if (transaction.is_automatic)
    return fail(world, transaction, 'access_denied', whyNotAutomatic(world, transaction), status);
  if (choice && 'connection' in choice)
    return goOn(world, transaction, startAddress(world, transaction, choice.connection), status);
  return goOn(world, transaction, `${world.baseUrl}/ui/login/${transaction.id}`, status);
}

function whyNotAutomatic(world: World, { login_hint }: Transaction): string {
  const email = login_hint ?? autoLogin(world);
  return email === undefined
    ? 'understudy_auto=1 does not say who signs in: add login_hint with the e-mail address of a user'
    : `nobody has the address ${email}`;
}

function ask(
  world: World,
  transaction: Transaction,
  page: 'organization' | 'sign-up' | 'code',
  status: Status,
): Redirect {
  if (isSilent(transaction))
    return fail(world, transaction, 'interaction_required', `a page is needed: ${page}`, status);
  return goOn(world, transaction, `${world.baseUrl}/ui/login/${transaction.id}/${page}`, status);
}

/** The browser is bound to the sign-in, wherever it goes for it. */
export function goOn(
  world: World,
  { browser_secret }: Transaction,
  address: string,
  status: Status,
): Redirect {
  return new Redirect(address, { status, cookies: [writeCookie(world, 'understudy_login', browser_secret)] });
}
