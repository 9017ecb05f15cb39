import type { Env } from '../../state/env.ts';
import { alert, form, sentence } from '../../pages/controls.ts';
import { breakable, html } from '../../pages/html.ts';
import { Redirect, showPage, type CustomReply, type Operations } from '../handler.ts';
import { REGISTRATION_SCRIPT } from '../passkeys/passkey-forms.ts';
import { registerByForm, registrationForm } from '../passkeys/registration-form.ts';
import { refusalOf } from '../refusals.ts';
import { lookOf } from './appearance.ts';
import { deviceIn } from './device.ts';
import { offersNewPasskey } from './passkey-offer.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

type Known = Transaction & { user_id: string };

export const newPasskeyPage = {
  LoginPage_ShowNewPasskey({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    return isAsked(env, transaction) ? askPage(env, transaction) : new Redirect(pagePath(transaction));
  },

  LoginPage_AddPasskey({ path, cookies, body, headers }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    if (!isAsked(env, transaction)) return new Redirect(pagePath(transaction), { status: 303 });
    const user = env.users.get(transaction.user_id);
    const refusal =
      body.action === 'add' && refusalOf(() => void registerByForm(env, user, body, deviceIn(headers)));
    if (refusal) return askPage(env, transaction, sentence(refusal));
    const asked = env.login_transactions.update(transaction.id, { new_passkey_offered: true });
    return nextStep(env, asked, cookies, 303);
  },
} satisfies Partial<Operations>;

const isAsked = (env: Env, transaction: Transaction): transaction is Known =>
  transaction.user_id !== undefined && offersNewPasskey(env, transaction as Known);

function askPage(env: Env, transaction: Known, problem?: string): CustomReply {
  const { user_id, csrf_token } = transaction;
  const user = env.users.get(user_id);
  const action = pagePath(transaction, 'new-passkey');
  const skip = html`<button class="quiet" name="action" value="skip">Not now</button>`;
  const body = html`<section class="card">
    <h1>Add a passkey?</h1>
    <p>
      Next time, ${breakable(user.email)} signs in with the fingerprint, the face or the PIN of this device.
    </p>
    ${problem && alert('bad', problem)} ${registrationForm(env, user, { action, csrf_token })}
    ${form({ action, csrf_token, content: skip })}
  </section>`;
  const sheet = { title: 'Add a passkey', body, look: lookOf(env, transaction), script: REGISTRATION_SCRIPT };
  return showPage(sheet, { status: problem ? 400 : 200 });
}
