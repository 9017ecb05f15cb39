import type { Env } from '../../state/env.ts';
import { field, form, sentence } from '../../pages/controls.ts';
import { breakable, html } from '../../pages/html.ts';
import { Redirect, showPage, type CustomReply, type Operations } from '../handler.ts';
import { refusalOf } from '../refusals.ts';
import { awaitsSecondFactor, enabledRegistration, requireCode } from '../totp/registrations.ts';
import { lookOf } from './appearance.ts';
import { CONTINUE } from './sign-in-form.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

export const secondFactorPage = {
  LoginPage_ShowSecondFactor({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    return awaitsSecondFactor(env, transaction)
      ? codePage(env, transaction)
      : new Redirect(pagePath(transaction));
  },

  LoginPage_EnterSecondFactor({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const registration = enabledRegistration(env, transaction.user_id ?? '');
    if (!registration || !awaitsSecondFactor(env, transaction))
      return new Redirect(pagePath(transaction), { status: 303 });
    let second_factor: Transaction['second_factor'];
    const refusal = refusalOf(() => {
      second_factor = requireCode(env, registration, body?.code ?? '');
    });
    if (refusal !== undefined) return codePage(env, transaction, sentence(refusal));
    const proved = env.login_transactions.update(transaction.id, { second_factor });
    return nextStep(env, proved, cookies, 303);
  },
} satisfies Partial<Operations>;

/** Asks for the code of the authenticator app. */
function codePage(env: Env, transaction: Transaction, problem?: string): CustomReply {
  const { csrf_token, user_id = '' } = transaction;
  const code = field({
    name: 'code',
    label: 'Code',
    problem,
    hint: 'Six digits of the app, or a backup code.',
    autocomplete: 'one-time-code',
    required: true,
    autofocus: true,
  });
  const action = pagePath(transaction, 'second-factor');
  const { email } = env.users.get(user_id);
  const body = html`<section class="card">
    <h1>Enter the code of your app</h1>
    <p class="faint">Your authenticator app shows a code for ${breakable(email)}.</p>
    ${form({ action, csrf_token, content: html`${code}${CONTINUE}` })}
    <p class="faint">Not ${breakable(email)}? <a href="${pagePath(transaction)}">Use another address</a></p>
  </section>`;
  const sheet = { title: 'Enter the code of your app', body, look: lookOf(env, transaction) };
  return showPage(sheet, { status: problem === undefined ? 200 : 400 });
}
