import type { Env, Rows } from '../../state/env.ts';
import { isActive } from '../connections/sign-in-connection.ts';
import {
  isTestUser,
  passwordlessConfig,
  passwordlessConnection,
  beginRequest,
  renewRequest,
  verifyCredential,
} from '../passwordless/passwordless.ts';
import { endReason, noteStep, type Transaction } from './transaction.ts';

export type MailedRequest = Rows['passwordless_requests'];

/**
 * Whether a typed address must be verified by mail: the environment has an enabled passwordless connection.
 */
export function isMailed(env: Env): boolean {
  const connection = passwordlessConnection(env);
  return connection !== undefined && isActive(connection);
}

/** What is mailed to a typed address; undefined: nothing is mailed. */
export function mailedWhat(env: Env): 'code' | 'link' | undefined {
  if (!isMailed(env)) return undefined;
  return passwordlessConfig(env).type === 'LINK' ? 'link' : 'code';
}

/** Mails a code or link, which the sign-in then waits for. Throws `rate_limited`. */
export function mailCode(env: Env, { id, sign_up }: Transaction, email: string): Transaction {
  const request = beginRequest(env, {
    email,
    template: sign_up ? 'SIGNUP' : 'SIGNIN',
    magiclink_auth_uri: `${env.baseUrl}/ui/link`,
  });
  const waiting = env.login_transactions.update(id, { passwordless_request_id: request.id });
  noteSuppressed(env, waiting, email);
  return waiting;
}

function noteSuppressed(env: Env, transaction: Transaction, email: string): void {
  if (isTestUser(env, email)) noteStep(env, transaction, 'Verification email suppressed (test user)');
}

/** The mail that the sign-in waits for. Throws `gone` if there is none. */
export function requestOf(env: Env, { passwordless_request_id = '' }: Transaction): MailedRequest {
  const request = env.passwordless_requests.find(passwordless_request_id);
  if (request) return request;
  throw endReason('nothing was mailed for this sign-in: start again');
}

/** Sends the same mail again, or a new code after too many wrong ones. Throws `rate_limited`. */
export function mailAgain(env: Env, transaction: Transaction): Transaction {
  const request = requestOf(env, transaction);
  if (request.status === 'BLOCKED') return mailCode(env, transaction, request.email);
  renewRequest(env, request);
  noteSuppressed(env, transaction, request.email);
  return transaction;
}

/** Verifies what the user typed. Throws for a wrong code and counts it. */
export function verifyCode(env: Env, transaction: Transaction, typed: string): void {
  const request = requestOf(env, transaction);
  try {
    verifyCredential(env, request, { code: codeIn(typed, request) });
  } catch (thrown) {
    noteStep(env, transaction, 'OTP verification failed');
    throw thrown;
  }
  if (isTestUser(env, request.email)) noteStep(env, transaction, 'OTP verification successful (test user)');
}

/** Ignores spaces and case: people copy spaces with a code, and some mails group its characters. */
function codeIn(typed: string, { code }: MailedRequest): string {
  const together = typed.replace(/[\s-]/g, '');
  return together === code ? together : together.toUpperCase();
}
