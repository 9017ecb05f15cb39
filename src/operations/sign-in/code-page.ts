import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { ApiError } from '../../errors.ts';
import { alert, field, form, sentence } from '../../pages/controls.ts';
import { breakable, dashboardAddress, html, type Html } from '../../pages/html.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { isActive } from '../identity-provider/sign-in-connection.ts';
import {
  isTestUser,
  type Credential,
  passwordlessConfig,
  passwordlessConnection,
} from '../passwordless/credentials.ts';
import { beginRequest, verifyCredential, renewRequest } from '../passwordless/passwordless.ts';
import { refusalOf } from '../refusals.ts';
import { acceptProvedAddress } from './account-creation.ts';
import { redirectTo } from './steps.ts';
import {
  openTransaction,
  endReason,
  pagePath,
  submittedTransaction,
  type Transaction,
} from './transaction.ts';

export const codePage = {
  LoginPage_ShowCode({ path, cookies }, env) {
    return codeFormPage(env, openTransaction(env, path.transaction_id, cookies));
  },

  LoginPage_EnterCode({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const request = requestOf(env, transaction);
    const problem = credentialProblem(env, request, { code: codeIn(body?.code ?? '', request) });
    if (problem) return codeFormPage(env, transaction, problem);
    return acceptProvedAddress(env, transaction, request.email, cookies);
  },

  LoginPage_ResendCode({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    try {
      return mailAgain(env, transaction);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.failure === 'rate_limited')
        return codeFormPage(env, transaction, thrown.message);
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

/** Ignores spaces and case: people copy spaces with a code, and some mails group its characters. */
function codeIn(typed: string, { code }: Rows['passwordless_requests']): string {
  const together = typed.replace(/[\s-]/g, '');
  return together === code ? together : together.toUpperCase();
}

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
    ${type === 'LINK' ? problem && alert('bad', problem) : codeForm(transaction, problem)}
    ${form({ action: pagePath(transaction, 'code/resend'), csrf_token, content: resend })}
    ${mail !== undefined && html`<p class="faint"><a href="${mail}">Open the mail in the dashboard</a></p>`}
    <p class="faint">Not ${breakable(email)}? <a href="${pagePath(transaction)}">Use another address</a></p>
  </section>`;
  return showPage({ title, body }, { status: rejection ? 400 : 200 });
}

function mailedText(env: Env, { email, passwordless_type: type }: Request): Html {
  if (isTestUser(env, email))
    return html`${breakable(email)} is a test user: nothing was mailed, the code is in the settings.`;
  if (type === 'OTP') return html`We sent a code to <strong>${breakable(email)}</strong>.`;
  const link = html`We sent a link to <strong>${breakable(email)}</strong>. Open it in this browser`;
  return type === 'LINK' ? html`${link}.` : html`${link}, or enter the code that is in the mail.`;
}

function codeForm(transaction: Transaction, problem: string | undefined): Html {
  const code = field({
    name: 'code',
    label: 'Code',
    problem,
    autocomplete: 'one-time-code',
    required: true,
    autofocus: true,
  });
  return form({
    action: pagePath(transaction, 'code'),
    csrf_token: transaction.csrf_token,
    content: html`${code}<button>Continue</button>`,
  });
}

type Request = Rows['passwordless_requests'];

/** The latest mail of the request in the dashboard. */
function mailAddress(env: Env, { email, code, link_token = '' }: Request): string | undefined {
  const isOfRequest = (mail: Rows['mails']) =>
    mail.kind === 'passwordless' && mail.code === code && (mail.link ?? '').includes(link_token);
  const mail = env.mails.list('to', email).findLast(isOfRequest);
  return mail && dashboardAddress(env.environment, 'mail', mail.id);
}

/**
 * Whether a typed address must be verified by mail: the environment has an enabled passwordless connection.
 */
export function isMailed(env: Env): boolean {
  const connection = passwordlessConnection(env);
  return connection !== undefined && isActive(connection);
}

/** What the button on the page says is mailed; undefined: nothing is mailed. */
export function mailedWhat(env: Env): 'code' | 'link' | undefined {
  if (!isMailed(env)) return undefined;
  return passwordlessConfig(env).type === 'LINK' ? 'link' : 'code';
}

/** Mails the code or link and shows the page that asks for it. Throws `rate_limited`. */
export function mailCode(env: Env, transaction: Transaction, email: string): CustomReply {
  const request = beginRequest(env, {
    email,
    template: transaction.sign_up ? 'SIGNUP' : 'SIGNIN',
    magiclink_auth_uri: `${env.baseUrl}/ui/link`,
  });
  const waiting = env.login_transactions.update(transaction.id, { passwordless_request_id: request.id });
  return redirectTo(env, waiting, pagePath(waiting, 'code'), 303);
}

function requestOf(env: Env, { passwordless_request_id = '' }: Transaction): Request {
  const request = env.passwordless_requests.find(passwordless_request_id);
  if (request) return request;
  throw endReason('nothing was mailed for this sign-in: start again');
}

/** Sends the same mail again, or a new code after too many wrong ones. Throws `rate_limited`. */
function mailAgain(env: Env, transaction: Transaction): CustomReply {
  const request = requestOf(env, transaction);
  if (request.status === 'BLOCKED') return mailCode(env, transaction, request.email);
  renewRequest(env, request);
  return redirectTo(env, transaction, pagePath(transaction, 'code'), 303);
}

/** Why no code can help any more, whatever is entered. */
function requestProblem({ status }: Request): string | undefined {
  if (status === 'BLOCKED') return 'too many wrong codes were entered: send the mail again for another one';
  return status === 'EXPIRED' ? 'code or link has expired: send it again' : undefined;
}

/** Verifies the credential and returns the problem, if any. Wrong codes are counted. */
function credentialProblem(env: Env, request: Request, credential: Credential): string | undefined {
  const refusal = refusalOf(() => verifyCredential(env, request, credential));
  return refusal && (requestProblem(env.passwordless_requests.get(request.id)) ?? refusal);
}
