import { ApiError } from '../../errors.ts';
import { signUpBody, type SignUpFields } from '../../pages/sign-in/sign-up-form.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { createAccount, createOrganization } from './account-creation.ts';
import type { BrowserCookies } from './cookies.ts';
import { isMailed, mailCode } from './mailed-code.ts';
import { nextStep } from './steps.ts';
import {
  destinations,
  openTransaction,
  pageOf,
  submittedTransaction,
  type Transaction,
} from './transaction.ts';

type Problems = Partial<Record<keyof SignUpFields, string>>;

export const signUp = {
  LoginPage_ShowSignUp({ path, query, cookies }, world) {
    const transaction = openTransaction(world, path.transaction_id, cookies);
    return signUpPage(world, transaction, { email: query.email ?? transaction.login_hint });
  },

  LoginPage_SignUp({ path, cookies, body = {} }, world) {
    const transaction = submittedTransaction(world, path.transaction_id, cookies, body);
    const { csrf_token: _, ...fields } = body;
    const filled = { ...fields, ...(transaction.identity && { email: transaction.identity.email }) };
    const problems = problemsOf(world, transaction, filled);
    if (Object.keys(problems).length > 0) return signUpPage(world, transaction, filled, problems);
    try {
      return take(world, transaction, filled, cookies);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited')
        return signUpPage(world, transaction, filled, { email: thrown.message });
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

const ADDRESS = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/;
const LONGEST_NAME = 200;

function problemsOf(world: World, { user_id }: Transaction, filled: SignUpFields): Problems {
  const { email = '', organization_name = '' } = filled;
  const length = organization_name.trim().length;
  const lengthProblem =
    length === 0 ? 'Name your organization.' : length > LONGEST_NAME && `At most ${LONGEST_NAME} characters.`;
  const address = user_id === undefined ? addressProblem(world, email.trim()) : undefined;
  return {
    ...(address && { email: address }),
    ...(lengthProblem && { organization_name: lengthProblem }),
  };
}

function addressProblem(world: World, email: string): string | undefined {
  if (!ADDRESS.test(email)) return 'This is not an e-mail address.';
  const taken = world.users.findBy('email', email.toLowerCase());
  return taken ? 'This address has an account: sign in with it.' : undefined;
}

/** What an identity provider vouches for, or nobody asks for, needs no mail. */
function take(world: World, transaction: Transaction, filled: SignUpFields, cookies: BrowserCookies): Answer {
  const { id, user_id, identity } = transaction;
  const { email = '', first_name = '', last_name = '', organization_name = '' } = filled;
  const name = organization_name.trim();
  const enter = (account: { user_id: string; organization_id: string }) =>
    nextStep(world, world.login_transactions.update(id, account), cookies, 303);
  if (user_id !== undefined) return enter(createOrganization(world, user_id, name));
  const sign_up = {
    email: email.trim(),
    organization_name: name,
    ...(first_name.trim() && { given_name: first_name.trim() }),
    ...(last_name.trim() && { family_name: last_name.trim() }),
  };
  if (identity || !isMailed(world)) return enter(createAccount(world, sign_up));
  return mailCode(world, world.login_transactions.update(id, { sign_up }), sign_up.email);
}

function signUpPage(
  world: World,
  transaction: Transaction,
  filled: SignUpFields,
  problems: Problems = {},
): Answer {
  const { client_id, csrf_token, user_id = '', identity } = transaction;
  const { name } = world.clients.get(client_id);
  const user = world.users.find(user_id);
  const body = signUpBody({
    action: pageOf(transaction, 'sign-up'),
    csrf_token,
    application: name,
    filled: { ...namesIn(identity?.attributes), ...filled },
    problems,
    known: user?.email ?? identity?.email,
    isUser: user !== undefined,
    back: pageOf(transaction),
  });
  const isRefused = Object.keys(problems).length > 0;
  return showPage(
    { title: `Sign up to ${name}`, body, leadsTo: destinations(world, transaction) },
    { status: isRefused ? 400 : 200 },
  );
}

function namesIn({ given_name, family_name }: Record<string, unknown> = {}): SignUpFields {
  return {
    ...(typeof given_name === 'string' && { first_name: given_name }),
    ...(typeof family_name === 'string' && { last_name: family_name }),
  };
}
