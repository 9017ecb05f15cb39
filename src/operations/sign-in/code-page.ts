import { codeBody } from '../../pages/sign-in/code-form.ts';
import { ApiError } from '../../errors.ts';
import { sentence } from '../../pages/sentence.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { isTestUser } from '../passwordless/test-users.ts';
import { mailAgain, proofProblem, requestOf, standingProblem } from './mailed-code.ts';
import { prove } from './proved-address.ts';
import { openTransaction, pageOf, submittedTransaction, type Transaction } from './transaction.ts';

export const codePage = {
  LoginPage_ShowCode({ path, cookies }, world) {
    return codeFormPage(world, openTransaction(world, path.transaction_id, cookies));
  },

  LoginPage_EnterCode({ path, cookies, body }, world) {
    const transaction = submittedTransaction(world, path.transaction_id, cookies, body);
    const request = requestOf(world, transaction);
    const problem = proofProblem(world, request, { code: codeIn(body?.code ?? '', request) });
    if (problem) return codeFormPage(world, transaction, problem);
    return prove(world, transaction, request.email, cookies);
  },

  LoginPage_ResendCode({ path, cookies, body }, world) {
    const transaction = submittedTransaction(world, path.transaction_id, cookies, body);
    try {
      return mailAgain(world, transaction);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited')
        return codeFormPage(world, transaction, thrown.message);
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

/** People copy blanks with a code, some mails set it in groups, and whoever types one may not shift. */
function codeIn(typed: string, { code }: Rows['passwordless_requests']): string {
  const together = typed.replace(/[\s-]/g, '');
  return together === code ? together : together.toUpperCase();
}

function codeFormPage(world: World, transaction: Transaction, problem?: string): Answer {
  const { csrf_token, redirect_uri } = transaction;
  const request = requestOf(world, transaction);
  const { email, passwordless_type } = request;
  const told = problem ?? standingProblem(request);
  const body = codeBody({
    action: pageOf(transaction, 'code'),
    csrf_token,
    email,
    type: passwordless_type,
    problem: told && sentence(told),
    isTestUser: isTestUser(world, email),
    resend: pageOf(transaction, 'code/resend'),
    back: pageOf(transaction),
  });
  const title = passwordless_type === 'LINK' ? 'Check your mail' : 'Enter the code';
  return showPage({ title, body, leadsTo: [redirect_uri] }, { status: problem ? 400 : 200 });
}
