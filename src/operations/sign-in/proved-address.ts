import type { Env } from '../../environment/env.ts';
import type { CustomReply } from '../custom-reply.ts';
import { InterceptorDenial } from '../interceptors/ask.ts';
import { createAccount } from './account-creation.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import { storeAddressProof } from './foreign-domain.ts';
import { deniedPage } from './sign-up-page.ts';
import { nextStep } from './steps.ts';
import type { Transaction } from './transaction.ts';

/** Signs in the user of the verified address, or creates the user who signed up with it. */
export function acceptProvedAddress(
  env: Env,
  transaction: Transaction,
  email: string,
  cookies: BrowserCookies,
  status: 302 | 303 = 303,
): CustomReply {
  const { id, sign_up } = transaction;
  const user = env.users.findBy('email', email.toLowerCase());
  const verified = user && { ...user.user_profile, email_verified: true };
  if (verified) env.users.update(user.id, { user_profile: verified });
  try {
    const account = user ? { user_id: user.id } : sign_up && createAccount(env, transaction, sign_up);
    const known = env.login_transactions.update(id, { ...account, passwordless_request_id: undefined });
    storeAddressProof(env, known);
    return nextStep(env, known, cookies, status);
  } catch (thrown) {
    if (!(thrown instanceof InterceptorDenial) || !sign_up) throw thrown;
    return deniedPage(env, transaction, fieldsOf(sign_up), thrown.message);
  }
}

const fieldsOf = ({ given_name, family_name, ...sign_up }: NonNullable<Transaction['sign_up']>) => ({
  ...sign_up,
  first_name: given_name,
  last_name: family_name,
});
