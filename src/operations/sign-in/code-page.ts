import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError } from '../../errors.ts';
import { dashboardAddress } from '../../pages/html.ts';
import { sentence } from '../../pages/controls.ts';
import { codeBody } from '../../pages/sign-in/code-form.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { isActive } from '../identity-provider/social-connection.ts';
import {
  isTestUser,
  type Credential,
  passwordlessConfig,
  passwordlessConnection,
} from '../passwordless/credentials.ts';
import { beginRequest, verifyCredential, renewRequest } from '../passwordless/requests.ts';
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

function codeFormPage(env: Env, transaction: Transaction, problem?: string): CustomReply {
  const { csrf_token, redirect_uri } = transaction;
  const request = requestOf(env, transaction);
  const { email, passwordless_type } = request;
  const message = problem ?? requestProblem(request);
  const body = codeBody({
    action: pagePath(transaction, 'code'),
    csrf_token,
    email,
    type: passwordless_type,
    problem: message && sentence(message),
    isTestUser: isTestUser(env, email),
    resend: pagePath(transaction, 'code/resend'),
    mail: mailAddress(env, request),
    back: pagePath(transaction),
  });
  const title = passwordless_type === 'LINK' ? 'Check your mail' : 'Enter the code';
  return showPage({ title, body, leadsTo: [redirect_uri] }, { status: problem ? 400 : 200 });
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
  try {
    verifyCredential(env, request, credential);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return requestProblem(env.passwordless_requests.get(request.id)) ?? thrown.message;
  }
}
