import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import type { Choice } from '../identity-provider/choose-connection.ts';
import type { BrowserCookies } from './device.ts';
import { identify } from './identify.ts';
import { currentSession } from './session.ts';
import type { Transaction } from './transaction.ts';

type Session = Rows['sessions'];

/** Who signs in, where no page is needed to find out: by the browser's session, or because a suite says so. */
export function recognize(
  env: Env,
  begun: Transaction,
  browser: BrowserCookies,
  choice: Choice,
): Transaction {
  const transaction = withoutLostSession(env, begun);
  if (transaction.user_id || transaction.identity || transaction.intent === 'sign_up') return transaction;
  const session = usableSession(env, transaction, browser, choice);
  if (session)
    return env.login_transactions.update(transaction.id, {
      user_id: session.user_id,
      session_id: session.id,
    });
  const email = automaticUser(env, transaction);
  return email === undefined ? transaction : signInAs(env, transaction, email, choice);
}

/** A session that ended while its user was choosing proves nothing any more. */
function withoutLostSession(env: Env, transaction: Transaction): Transaction {
  const { session_id, id } = transaction;
  if (session_id === undefined || env.sessions.find(session_id)?.status === 'active') return transaction;
  return env.login_transactions.update(id, {
    user_id: undefined,
    session_id: undefined,
    organization_id: undefined,
  });
}

function usableSession(
  env: Env,
  transaction: Transaction,
  browser: BrowserCookies,
  choice: Choice,
): Session | undefined {
  const { prompt, login_hint } = transaction;
  const session = currentSession(env, browser);
  if (!session || prompt.includes('login') || prompt.includes('create')) return undefined;
  if (wantsProof(transaction, session, choice)) return undefined;
  const { email } = env.users.get(session.user_id);
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
export const autoLogin = (env: Env) => env.settings.get('settings').auto_login ?? env.autoLogin;

/** Whom a suite signs in without a page; with `prompt=none` there is nobody to sign in. */
function automaticUser(env: Env, { is_automatic, login_hint, prompt }: Transaction): string | undefined {
  const everyone = autoLogin(env);
  if (prompt.includes('none')) return undefined;
  if (is_automatic || everyone) return login_hint ?? everyone;
  return undefined;
}

/** As if they had done what the pages ask for: with the connection that they would have been sent to. */
function signInAs(env: Env, transaction: Transaction, email: string, choice: Choice): Transaction {
  const automatic = env.login_transactions.update(transaction.id, { is_automatic: true });
  if (choice && 'connection' in choice) {
    const identity = { email, email_verified: true, connection_id: choice.connection.id };
    return env.settings.get('settings').full_stack_auth
      ? identify(env, automatic, identity)
      : { ...automatic, identity };
  }
  const user = env.users.findBy('email', email.toLowerCase());
  return user ? env.login_transactions.update(transaction.id, { user_id: user.id }) : automatic;
}
