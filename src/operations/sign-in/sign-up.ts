import { ApiError } from '../../errors.ts';
import type { Env } from '../../state/env.ts';
import type { CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { InterceptorDenial } from '../interceptors/ask.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import { createAccount } from './account-creation.ts';
import { isMailed, mailCode } from './code-page.ts';
import { deniedPage, signUpPage, type SignUpFields, type SignUpProblems } from './sign-up-page.ts';
import { nextStep } from './steps.ts';
import { openTransaction, submittedTransaction, type Transaction } from './transaction.ts';

export const signUp = {
  LoginPage_ShowSignUp({ path, query, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    return signUpPage(env, transaction, { email: query.email ?? transaction.login_hint });
  },

  LoginPage_SignUp({ path, cookies, body = {} }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const { csrf_token: _, ...fields } = body;
    const filled = { ...fields, ...(transaction.identity && { email: transaction.identity.email }) };
    const problems = problemsOf(env, transaction, filled);
    if (Object.keys(problems).length > 0) return signUpPage(env, transaction, filled, { problems });
    try {
      return submitSignUp(env, transaction, filled, cookies);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited')
        return signUpPage(env, transaction, filled, { problems: { email: thrown.message } });
      if (thrown instanceof InterceptorDenial) return deniedPage(env, transaction, filled, thrown.message);
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

const ADDRESS = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/;
const LONGEST_NAME = 200;

function problemsOf(env: Env, { user_id }: Transaction, filled: SignUpFields): SignUpProblems {
  const { email = '', organization_name = '' } = filled;
  const length = organization_name.trim().length;
  const lengthProblem =
    length === 0 ? 'Name your organization.' : length > LONGEST_NAME && `At most ${LONGEST_NAME} characters.`;
  const address = user_id === undefined ? addressProblem(env, email.trim()) : undefined;
  return {
    ...(address && { email: address }),
    ...(lengthProblem && { organization_name: lengthProblem }),
  };
}

function addressProblem(env: Env, email: string): string | undefined {
  if (!ADDRESS.test(email)) return 'This is not an e-mail address.';
  const taken = env.users.findBy('email', email.toLowerCase());
  return taken ? 'This address has an account: sign in with it.' : undefined;
}

/** Skips the mail if an identity provider vouches for the address or mail verification is off. */
function submitSignUp(
  env: Env,
  transaction: Transaction,
  filled: SignUpFields,
  cookies: BrowserCookies,
): CustomReply {
  const { id, user_id, identity } = transaction;
  const { email = '', first_name = '', last_name = '', organization_name = '' } = filled;
  const name = organization_name.trim();
  const sign_up = {
    email: user_id === undefined ? email.trim() : env.users.get(user_id).email,
    organization_name: name,
    ...(first_name.trim() && { given_name: first_name.trim() }),
    ...(last_name.trim() && { family_name: last_name.trim() }),
  };
  if (user_id === undefined && !identity && isMailed(env))
    return mailCode(env, env.login_transactions.update(id, { sign_up }), sign_up.email);
  const account = createAccount(env, transaction, sign_up);
  return nextStep(env, env.login_transactions.update(id, account), cookies, 303);
}
