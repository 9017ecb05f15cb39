import type { Env } from '../../environment/env.ts';
import { signUpBody, type SignUpFields } from '../../pages/sign-in/sign-up-form.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import { writeCookie } from '../hosted/browser.ts';
import { logSignIn, destinations, pagePath, type Transaction } from './transaction.ts';

export type SignUpProblems = Partial<Record<keyof SignUpFields, string>>;

interface RejectedSignUp {
  problems?: SignUpProblems;
  /** The message of the interceptor. */
  denial?: string;
}

/**
 * Shows the form again, because the user may try another address. Unverified: until then the sign-in counts
 * as failed.
 */
export function deniedPage(env: Env, { id }: Transaction, filled: SignUpFields, denial: string): CustomReply {
  const transaction = env.login_transactions.update(id, { passwordless_request_id: undefined });
  logSignIn(env, transaction, 'FAILED');
  return signUpPage(env, transaction, filled, { denial });
}

export function signUpPage(
  env: Env,
  transaction: Transaction,
  filled: SignUpFields,
  { problems = {}, denial }: RejectedSignUp = {},
): CustomReply {
  const { client_id, csrf_token, browser_secret, user_id = '', identity } = transaction;
  const { name } = env.clients.get(client_id);
  const user = env.users.find(user_id);
  const body = signUpBody({
    action: pagePath(transaction, 'sign-up'),
    csrf_token,
    application: name,
    filled: { ...namesIn(identity?.attributes), ...filled },
    problems,
    denial,
    known: user?.email ?? identity?.email,
    isUser: user !== undefined,
    back: pagePath(transaction),
  });
  const isRefused = Object.keys(problems).length > 0;
  const status = denial ? 403 : isRefused ? 400 : 200;
  return showPage(
    { title: `Sign up to ${name}`, body, leadsTo: destinations(env, transaction) },
    { status, cookies: denial ? [writeCookie(env, 'understudy_login', browser_secret)] : [] },
  );
}

function namesIn({ given_name, family_name }: Record<string, unknown> = {}): SignUpFields {
  return {
    ...(typeof given_name === 'string' && { first_name: given_name }),
    ...(typeof family_name === 'string' && { last_name: family_name }),
  };
}
