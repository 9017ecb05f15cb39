import type { Fragment } from '../../pages/html.ts';
import { html } from '../../pages/html.ts';
import { sentence } from '../../pages/sentence.ts';
import { signInBody, type Choosable } from '../../pages/sign-in/sign-in-form.ts';
import { ApiError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { withQuery, type Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { connectionForEmail, isActive } from '../identity-provider/home-realm.ts';
import { protocolOf, startAddress } from '../identity-provider/start-address.ts';
import { showPage } from '../page-answer.ts';
import type { BrowserCookies } from './cookies.ts';
import { isMailed, mailCode, mailedWhat } from './mailed-code.ts';
import { goOn, nextStep } from './steps.ts';
import {
  destinations,
  openTransaction,
  pageOf,
  submittedTransaction,
  type Transaction,
} from './transaction.ts';

/** Testers of large worlds type the address. */
const MOST_USERS = 8;

export const loginPage = {
  LoginPage_Show({ path, cookies }, world) {
    return signInPage(world, openTransaction(world, path.transaction_id, cookies));
  },

  LoginPage_SignIn({ path, cookies, body = {} }, world) {
    const begun = submittedTransaction(world, path.transaction_id, cookies, body);
    const transaction = beginAgain(world, begun);
    if (body.connection_id) return withConnection(world, transaction, body.connection_id);
    if (body.user_id) return signInAs(world, transaction, world.users.get(body.user_id), cookies);
    return withAddress(world, transaction, body.email?.trim() ?? '', cookies);
  },
} satisfies Partial<Operations>;

/** Whoever comes back to the page, by the browser's button or in another tab, says anew who they are. */
function beginAgain(world: World, { id }: Transaction): Transaction {
  return world.login_transactions.update(id, {
    intent: 'sign_in',
    user_id: undefined,
    session_id: undefined,
    organization_id: undefined,
    identity: undefined,
    sign_up: undefined,
    passwordless_request_id: undefined,
  });
}

function withConnection(world: World, transaction: Transaction, id: string): Answer {
  const connection = buttonsOf(world).find((each) => each.id === id);
  if (!connection) return signInPage(world, transaction, { problem: 'That way to sign in is not there.' });
  return goOn(world, transaction, startAddress(world, transaction, connection), 303);
}

/** The address tells the organization whose provider has to be asked first (reference: login-and-tokens 4.2). */
function withAddress(world: World, transaction: Transaction, email: string, cookies: BrowserCookies): Answer {
  const connection = connectionForEmail(world, email);
  if (connection) {
    const hinted = world.login_transactions.update(transaction.id, { login_hint: email });
    return goOn(world, hinted, startAddress(world, hinted, connection), 303);
  }
  const user = world.users.findBy('email', email.toLowerCase());
  if (!user) return signInPage(world, transaction, { email, problem: unknown(transaction, email) });
  if (!isMailed(world)) return signInAs(world, transaction, user, cookies);
  try {
    return mailCode(world, transaction, user.email);
  } catch (thrown) {
    if (thrown instanceof ApiError)
      return signInPage(world, transaction, { email, problem: sentence(thrown.message) });
    throw thrown;
  }
}

const unknown = (transaction: Transaction, email: string): Fragment =>
  html`Nobody has this address. <a href="${signUpAddress(transaction, email)}">Sign up with it</a>`;

const signUpAddress = (transaction: Transaction, email?: string) =>
  withQuery(pageOf(transaction, 'sign-up'), { email });

function signInAs(world: World, { id }: Transaction, user: Rows['users'], cookies: BrowserCookies): Answer {
  return nextStep(world, world.login_transactions.update(id, { user_id: user.id }), cookies, 303);
}

function signInPage(
  world: World,
  transaction: Transaction,
  { email = transaction.login_hint, problem }: { email?: string | undefined; problem?: Fragment } = {},
): Answer {
  const { client_id, csrf_token, wanted_organization_id = '' } = transaction;
  const { name } = world.clients.get(client_id);
  const body = signInBody({
    action: pageOf(transaction),
    csrf_token,
    application: name,
    organization: world.organizations.find(wanted_organization_id)?.display_name,
    email,
    problem,
    mailed: mailedWhat(world),
    connections: buttonsOf(world).map(({ id, ui_button_title, provider }) => ({
      value: id,
      name: ui_button_title || `Continue with ${provider}`,
    })),
    users: usersToPick(world),
    signUpAddress: signUpAddress(transaction),
  });
  return showPage(
    { title: `Sign in to ${name}`, body, leadsTo: destinations(world, transaction) },
    { status: problem ? 400 : 200 },
  );
}

/** The environment's own providers: those of organizations are found by the address. */
const buttonsOf = (world: World) =>
  world.connections.list('scope', 'login').filter((each) => isActive(each) && protocolOf(each) !== undefined);

function usersToPick(world: World): Choosable[] {
  return world.users
    .list()
    .slice(0, MOST_USERS)
    .map((user) => {
      const { given_name = '', family_name = '' } = user.user_profile;
      const name = `${given_name} ${family_name}`.trim();
      return { value: user.id, name: name || user.email, note: name ? user.email : undefined };
    });
}
