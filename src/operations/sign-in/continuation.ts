import type { Env } from '../../state/env.ts';
import type { CustomReply } from '../handler.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import { InterceptorDenial } from '../interceptors/ask.ts';
import { withAccount } from './account-creation.ts';
import { deniedPage } from './sign-up-page.ts';
import { nextStep } from './steps.ts';
import type { Transaction } from './transaction.ts';

/** Creates the account that somebody signed up for, if they did, and goes on to the next step of the sign-in. */
export function continueSignIn(
  env: Env,
  transaction: Transaction,
  cookies: BrowserCookies,
  status: 302 | 303 = 303,
): CustomReply {
  const { sign_up } = transaction;
  let known: Transaction;
  try {
    known = withAccount(env, transaction);
  } catch (thrown) {
    if (!(thrown instanceof InterceptorDenial) || !sign_up) throw thrown;
    return deniedPage(env, transaction, fieldsOf(sign_up), thrown.message);
  }
  return nextStep(env, known, cookies, status);
}

const fieldsOf = ({
  email,
  organization_name,
  given_name,
  family_name,
}: NonNullable<Transaction['sign_up']>) => ({
  email,
  organization_name,
  first_name: given_name,
  last_name: family_name,
});
