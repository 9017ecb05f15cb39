import type { Env, Rows } from '../../state/env.ts';
import { ApiError } from '../../contract/errors.ts';
import { alert, form, sentence } from '../../pages/controls.ts';
import { breakable, dashboardAddress, html, type Html } from '../../pages/html.ts';
import { PIN_SCRIPT, pinField } from '../../pages/pin-input.ts';
import { showPage, type CustomReply, type Operations } from '../handler.ts';
import { isTestUser } from '../passwordless/passwordless.ts';
import { refusalOf } from '../refusals.ts';
import { proveAddress } from './address-proof.ts';
import { lookOf } from './appearance.ts';
import { continueSignIn } from './continuation.ts';
import { mailAgain, requestOf, verifyCode, type MailedRequest } from './mailed-code.ts';
import { CONTINUE } from './sign-in-form.ts';
import { redirectTo } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

export const codePage = {
  LoginPage_ShowCode({ path, cookies }, env) {
    return codeFormPage(env, openTransaction(env, path.transaction_id, cookies));
  },

  LoginPage_EnterCode({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const request = requestOf(env, transaction);
    const refusal = refusalOf(() => verifyCode(env, transaction, body?.code ?? ''));
    if (refusal) {
      const problem = requestProblem(requestOf(env, transaction)) ?? refusal;
      return codeFormPage(env, transaction, problem);
    }
    const proof = { email: request.email, verified_with: 'code' } as const;
    return continueSignIn(env, proveAddress(env, transaction, proof), cookies);
  },

  LoginPage_ResendCode({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    try {
      return redirectTo(env, mailAgain(env, transaction), pagePath(transaction, 'code'), 303);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited')
        return codeFormPage(env, transaction, thrown.message);
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

/** Asks for the mailed code. */
function codeFormPage(env: Env, transaction: Transaction, rejection?: string): CustomReply {
  const { csrf_token } = transaction;
  const request = requestOf(env, transaction);
  const { email, passwordless_type: type } = request;
  const message = rejection ?? requestProblem(request);
  const problem = message && sentence(message);
  const mail = mailAddress(env, request);
  const title = type === 'LINK' ? 'Check your mail' : 'Enter the code';
  const resend = html`<button class="quiet">Send it again</button>`;
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p class="faint">${mailedText(env, request)}</p>
    ${type === 'LINK' ? problem && alert('bad', problem) : codeForm(transaction, request.code ?? '', problem)}
    ${form({ action: pagePath(transaction, 'code/resend'), csrf_token, content: resend })}
    ${mail !== undefined && html`<p class="faint"><a href="${mail}">Open the mail in the dashboard</a></p>`}
    <p class="faint">Not ${breakable(email)}? <a href="${pagePath(transaction)}">Use another address</a></p>
  </section>`;
  const script = type === 'LINK' ? {} : { script: PIN_SCRIPT };
  const sheet = { title, body, look: lookOf(env, transaction), ...script };
  return showPage(sheet, { status: rejection ? 400 : 200 });
}

function mailedText(env: Env, { email, passwordless_type: type }: MailedRequest): Html {
  if (isTestUser(env, email))
    return html`${breakable(email)} is a test user: nothing was mailed, the code is in the settings.`;
  if (type === 'OTP') return html`We sent a code to <strong>${breakable(email)}</strong>.`;
  const link = html`We sent a link to <strong>${breakable(email)}</strong>. Open it in this browser`;
  return type === 'LINK' ? html`${link}.` : html`${link}, or enter the code that is in the mail.`;
}

function codeForm(transaction: Transaction, code: string, problem: string | undefined): Html {
  const field = pinField({ length: code.length, isNumeric: /^\d*$/.test(code), problem });
  return form({
    action: pagePath(transaction, 'code'),
    csrf_token: transaction.csrf_token,
    content: html`${field}${CONTINUE}`,
  });
}

/** The latest mail of the request in the dashboard. */
function mailAddress(env: Env, { email, code, link_token = '' }: MailedRequest): string | undefined {
  const isOfRequest = (mail: Rows['mails']) =>
    mail.kind === 'passwordless' && mail.code === code && (mail.link ?? '').includes(link_token);
  const mail = env.mails.list('to', email).findLast(isOfRequest);
  return mail && dashboardAddress(env.environment, 'mail', mail.id);
}

/** Why no code can help any more, whatever is entered. */
function requestProblem({ status }: MailedRequest): string | undefined {
  if (status === 'BLOCKED') return 'too many wrong codes were entered: send the mail again for another one';
  return status === 'EXPIRED' ? 'code or link has expired: send it again' : undefined;
}
