import { ApiError } from '../../contract/errors.ts';
import type { Env } from '../../state/env.ts';
import type { CustomReply, Operations } from '../handler.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import { continueSignIn } from './continuation.ts';
import { isTaken, signUp } from './discovery.ts';
import { signUpPage, type SignUpFields, type SignUpProblems } from './sign-up-page.ts';
import { redirectTo } from './steps.ts';
import {
  noteStep,
  openTransaction,
  pagePath,
  submittedTransaction,
  type Transaction,
} from './transaction.ts';

export const signUpForm = {
  LoginPage_ShowSignUp({ path, query, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    env.trace(() => noteStep(env, transaction, 'Signup page loaded'));
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
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

const ADDRESS = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/;
const LONGEST_NAME = 200;

function problemsOf(env: Env, { user_id }: Transaction, filled: SignUpFields): SignUpProblems {
  const { email = '', organization_name = '' } = filled;
  const isLong = organization_name.trim().length > LONGEST_NAME;
  const address = user_id === undefined ? addressProblem(env, email.trim()) : undefined;
  return {
    ...(address && { email: address }),
    ...(isLong && { organization_name: `At most ${LONGEST_NAME} characters.` }),
  };
}

function addressProblem(env: Env, email: string): string | undefined {
  if (!ADDRESS.test(email)) return 'This is not an e-mail address.';
  return isTaken(env, email) ? 'This address has an account: sign in with it.' : undefined;
}

function submitSignUp(
  env: Env,
  transaction: Transaction,
  filled: SignUpFields,
  cookies: BrowserCookies,
): CustomReply {
  const { user_id } = transaction;
  const { email = '', first_name = '', last_name = '', organization_name = '' } = filled;
  const found = signUp(env, transaction, {
    email: user_id === undefined ? email.trim() : env.users.get(user_id).email,
    ...(organization_name.trim() && { organization_name: organization_name.trim() }),
    ...(first_name.trim() && { given_name: first_name.trim() }),
    ...(last_name.trim() && { family_name: last_name.trim() }),
  });
  if ('known' in found) return continueSignIn(env, found.known, cookies);
  return redirectTo(env, found.waiting, pagePath(found.waiting, 'code'), 303);
}
