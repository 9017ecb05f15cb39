import type { Env, Rows } from '../../state/env.ts';
import { connectionForEmail, isActive, protocolOf } from '../connections/sign-in-connection.ts';
import { proveAddress } from './address-proof.ts';
import { isMailed, mailCode } from './mailed-code.ts';
import type { Transaction } from './transaction.ts';

type Connection = Rows['connections'];

/**
 * What follows a typed address: the identity provider of its organization; or the sign-in waits for a mailed code or
 * link; or it knows the user, because the environment mails no codes; or nothing, because there is no such user.
 */
type Discovery =
  | { connection: Connection; transaction: Transaction }
  | { waiting: Transaction }
  | { known: Transaction }
  | undefined;

/**
 * The domain decides which organization's identity provider is asked first (Scalekit docs, Authentication flow).
 * Throws `rate_limited`.
 */
export function discover(env: Env, transaction: Transaction, email: string): Discovery {
  const connection = connectionForEmail(env, email);
  if (connection) {
    const hinted = env.login_transactions.update(transaction.id, { login_hint: email });
    return { connection, transaction: hinted };
  }
  const user = env.users.findBy('email', email.toLowerCase());
  if (!user) return undefined;
  if (isMailed(env)) return { waiting: mailCode(env, transaction, user.email) };
  return { known: env.login_transactions.update(transaction.id, { user_id: user.id }) };
}

type SignUp = NonNullable<Transaction['sign_up']>;

/**
 * Signs somebody up whose account follows (`withAccount`). Waits for a mailed code or link unless an identity provider
 * vouches for the address, or the environment mails no codes. Throws `rate_limited`.
 */
export function signUp(
  env: Env,
  { id }: Transaction,
  sign_up: SignUp,
): { waiting: Transaction } | { known: Transaction } {
  const transaction = env.login_transactions.update(id, { intent: 'sign_up', sign_up });
  if (transaction.user_id || transaction.identity) return { known: transaction };
  if (isMailed(env)) return { waiting: mailCode(env, transaction, sign_up.email) };
  return { known: proveAddress(env, transaction, { email: sign_up.email }) };
}

/** Whether somebody may sign up with the address: it has no user yet. */
export const isTaken = (env: Env, email: string): boolean =>
  env.users.findBy('email', email.toLowerCase()) !== undefined;

/** The environment's own providers; those of organizations are found by the address. */
export const environmentConnections = (env: Env): Connection[] =>
  env.connections.list('scope', 'login').filter((each) => isActive(each) && protocolOf(each) !== undefined);
