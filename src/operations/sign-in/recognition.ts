import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Choice } from '../identity-provider/choose-connection.ts';
import type { BrowserCookies } from './cookies.ts';
import { identify } from './identify.ts';
import { currentSession } from './session.ts';
import type { Transaction } from './transaction.ts';

type Session = Rows['sessions'];

/** Who signs in, where no page is needed to find out: by the browser's session, or because a suite says so. */
export function recognize(
  world: World,
  begun: Transaction,
  browser: BrowserCookies,
  choice: Choice,
): Transaction {
  const transaction = withoutLostSession(world, begun);
  if (transaction.user_id || transaction.identity || transaction.intent === 'sign_up') return transaction;
  const session = usableSession(world, transaction, browser, choice);
  if (session)
    return world.login_transactions.update(transaction.id, {
      user_id: session.user_id,
      session_id: session.id,
    });
  const email = automaticUser(world, transaction);
  return email === undefined ? transaction : signInAs(world, transaction, email, choice);
}

/** A session that ended while its user was choosing proves nothing any more. */
function withoutLostSession(world: World, transaction: Transaction): Transaction {
  const { session_id, id } = transaction;
  if (session_id === undefined || world.sessions.find(session_id)?.status === 'active') return transaction;
  return world.login_transactions.update(id, {
    user_id: undefined,
    session_id: undefined,
    organization_id: undefined,
  });
}

function usableSession(
  world: World,
  transaction: Transaction,
  browser: BrowserCookies,
  choice: Choice,
): Session | undefined {
  const { prompt, login_hint } = transaction;
  const session = currentSession(world, browser);
  if (!session || prompt.includes('login') || prompt.includes('create')) return undefined;
  if (wantsProof(transaction, session, choice)) return undefined;
  const { email } = world.users.get(session.user_id);
  // Unverified: an address in login_hint that is somebody else's means them.
  const isMeant = !login_hint?.includes('@') || login_hint.toLowerCase() === email.toLowerCase();
  return isMeant ? session : undefined;
}

/** A connection that was asked for by itself must have been part of the session. */
function wantsProof(transaction: Transaction, { connection_ids = [] }: Session, choice: Choice): boolean {
  const { wanted_provider, wanted_connection_id, wanted_organization_id, wanted_domain } = transaction;
  const byName =
    wanted_provider ?? wanted_connection_id ?? (wanted_organization_id ? undefined : wanted_domain);
  if (byName === undefined || !choice || !('connection' in choice)) return false;
  return !connection_ids.includes(choice.connection.id);
}

/** Who is signed in without a page, whoever it is that begins. */
export const autoLogin = (world: World) => world.settings.get('settings').auto_login ?? world.autoLogin;

/** Whom a suite signs in without a page; with `prompt=none` there is nobody to sign in. */
function automaticUser(world: World, { is_automatic, login_hint, prompt }: Transaction): string | undefined {
  const everyone = autoLogin(world);
  if (prompt.includes('none')) return undefined;
  if (is_automatic || everyone) return login_hint ?? everyone;
  return undefined;
}

/** As if they had done what the pages ask for: with the connection that they would have been sent to. */
function signInAs(world: World, transaction: Transaction, email: string, choice: Choice): Transaction {
  const automatic = world.login_transactions.update(transaction.id, { is_automatic: true });
  if (choice && 'connection' in choice) {
    const identity = { email, email_verified: true, connection_id: choice.connection.id };
    return world.settings.get('settings').full_stack_auth
      ? identify(world, automatic, identity)
      : { ...automatic, identity };
  }
  const user = world.users.findBy('email', email.toLowerCase());
  return user ? world.login_transactions.update(transaction.id, { user_id: user.id }) : automatic;
}
