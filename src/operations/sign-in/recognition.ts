import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import type { ConnectionChoice } from '../connections/sign-in-connection.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import { identify } from './identify.ts';
import { currentSession } from './session.ts';
import type { Transaction } from './transaction.ts';

type Session = Rows['sessions'];

/** Recognizes the user without a page: by the browser's session or by automatic sign-in. */
export function recognize(
  env: Env,
  begun: Transaction,
  browser: BrowserCookies,
  choice: ConnectionChoice,
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

/** A session that ended while its user was choosing proves nothing. */
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
  choice: ConnectionChoice,
): Session | undefined {
  const { prompt, login_hint, hinted_subject } = transaction;
  const session = currentSession(env, browser);
  if (!session || prompt.includes('login') || prompt.includes('create')) return undefined;
  if (isStale(env, transaction, session) || needsProof(transaction, session, choice)) return undefined;
  if (isOtherUser(hinted_subject, session.user_id)) return undefined;
  const { email } = env.users.get(session.user_id);
  // Unverified (sign-in/address-of-somebody-else): an address of somebody else in login_hint means that person.
  const isMeant = !login_hint?.includes('@') || login_hint.toLowerCase() === email.toLowerCase();
  if (isMeant) return session;
  env.decidedBy('sign-in/address-of-somebody-else');
  return undefined;
}

/** Whether the ID token that an application knows is another user's. The subject may also be that of a connection. */
export const isOtherUser = (hinted = '', user_id: string): boolean =>
  hinted.startsWith('usr_') && hinted !== user_id;

/** Whether the user signed in longer ago than the application allows; 0 always asks (OpenID Connect Core 3.1.2.1). */
function isStale(env: Env, { max_age }: Transaction, { authenticated_at, created_at }: Session): boolean {
  if (max_age === undefined) return false;
  const age = env.clock.ms - Date.parse(authenticated_at ?? created_at);
  return max_age === 0 || age > max_age * 1000;
}

/** A connection that was asked for must have been part of the session. */
function needsProof(
  transaction: Transaction,
  { connection_ids = [] }: Session,
  choice: ConnectionChoice,
): boolean {
  const { wanted_provider, wanted_connection_id, wanted_organization_id, wanted_domain } = transaction;
  const byName =
    wanted_provider ?? wanted_connection_id ?? (wanted_organization_id ? undefined : wanted_domain);
  if (byName === undefined || !choice || !('connection' in choice)) return false;
  return !connection_ids.includes(choice.connection.id);
}

/** The user whom automatic sign-in signs in, for every application. */
export const autoLogin = (env: Env) => env.settings.get('settings').auto_login ?? env.autoLogin;

/** The user of an automatic sign-in; with `prompt=none` there is nobody to sign in. */
function automaticUser(env: Env, { is_automatic, login_hint, prompt }: Transaction): string | undefined {
  const everyone = autoLogin(env);
  if (prompt.includes('none')) return undefined;
  if (is_automatic || everyone) return login_hint ?? everyone;
  return undefined;
}

/** Signs in with the connection that the pages would have used. */
function signInAs(env: Env, transaction: Transaction, email: string, choice: ConnectionChoice): Transaction {
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
