import { rowNamed, stateCause, timeCause } from '../../contract/cause.ts';
import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Consequence } from '../../state/units-of-work.ts';
import { ApiError, notFound } from '../../contract/errors.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { checkCsrfToken, drawFormSecrets, type BrowserCookies, type FormSecrets } from '../hosted/browser.ts';
import { issuerOf } from '../resources/resource.ts';
import { deviceIn } from './device.ts';
import { provingConnection } from './proving-connection.ts';

export type Transaction = Rows['login_transactions'];

/** Unverified (sign-in/lifetime): the docs give no number. */
const LIFETIME = 30 * 60_000;

type NewTransaction = Omit<Transaction, 'id' | 'status' | keyof FormSecrets | 'created_at' | 'expires_at'>;

/**
 * The parameter `iss` of the answer to the application (RFC 9207). Unverified (oauth/issuer-in-answer): the docs do not
 * name it.
 */
export function answerIssuer(env: Env, { at_resource, resource_id }: Partial<Transaction>): string {
  const resource = at_resource && resource_id ? env.resources.find(resource_id) : undefined;
  return resource ? issuerOf(env, resource) : env.baseUrl;
}

/** Begins a sign-in. */
export function beginTransaction(
  env: Env,
  wanted: NewTransaction,
  { understudy_login }: BrowserCookies,
): Transaction {
  const transaction = env.login_transactions.insert({
    ...wanted,
    id: withEnvironmentName(env, env.draw.key('req')),
    status: 'PENDING',
    ...drawFormSecrets(env, understudy_login),
    created_at: env.clock.iso(),
    expires_at: env.clock.after(LIFETIME),
  });
  logSignIn(env, transaction, 'INITIATED');
  return transaction;
}

/**
 * The sign-in of a page, in the browser that began it. Throws for another browser, and if the sign-in is
 * over.
 */
export function openTransaction(env: Env, id: string, cookies: BrowserCookies): Transaction {
  const transaction = env.login_transactions.find(id);
  if (!transaction) throw notFound('sign-in', id);
  if (transaction.browser_secret !== cookies.understudy_login)
    throw new ApiError('permission_denied', 'this sign-in was started in another browser: start again');
  refuseEndedTransaction(transaction);
  return transaction;
}

/** Throws `gone` if the sign-in is over. */
export function refuseEndedTransaction(transaction: Transaction): void {
  const { id, status, expires_at } = transaction;
  if (status === 'PENDING') return;
  const rows = [rowNamed('login_transactions', transaction)];
  const reason = `this sign-in is ${status.toLowerCase()}: start again in the application`;
  throw endReason(reason).because(
    status === 'EXPIRED'
      ? timeCause(expires_at, `sign-in ${id} has expired`, rows)
      : stateCause(`sign-in ${id} is ${status}: its page was sent twice, or opened again`, ...rows),
  );
}

export const endReason = (message: string): ApiError =>
  new ApiError('gone', message, { title: 'This sign-in is over', why: { kind: 'state' } });

/** Like `openTransaction`, and checks the CSRF token of the form. */
export function submittedTransaction(
  env: Env,
  id: string,
  cookies: BrowserCookies,
  form: { csrf_token?: string } | undefined,
): Transaction {
  const transaction = openTransaction(env, id, cookies);
  checkCsrfToken(form, transaction.csrf_token);
  return transaction;
}

/** The sign-in that a browser has begun last and not ended. Throws `not_found` if there is none. */
export function runningTransaction(env: Env, cookies: BrowserCookies): Transaction {
  const running = transactionsOf(env, cookies).findLast(({ status }) => status === 'PENDING');
  if (running) return running;
  // Unverified (sign-in/without-sign-in): the docs do not say how calls without a sign-in fail.
  throw new ApiError('not_found', 'no sign-in is running in this browser: start again in the application', {
    why: { kind: 'state' },
  }).decidedBy('sign-in/without-sign-in');
}

/** The sign-ins of a browser, the latest last. */
export const transactionsOf = (env: Env, { understudy_login: secret }: BrowserCookies): Transaction[] =>
  secret ? [...env.login_transactions.list('browser_secret', secret)] : [];

/** A user who returns to the start identifies themselves again. */
export const beginAgain = (env: Env, { id }: Transaction, intent: Transaction['intent']): Transaction =>
  env.login_transactions.update(id, {
    intent,
    user_id: undefined,
    session_id: undefined,
    organization_id: undefined,
    identity: undefined,
    sign_up: undefined,
    passwordless_request_id: undefined,
    verified_with: undefined,
    second_factor: undefined,
    new_passkey_offered: undefined,
  });

type SignInPage =
  | 'sign-up'
  | 'passkey'
  | 'new-passkey'
  | 'second-factor'
  | 'code'
  | 'code/resend'
  | 'organization'
  | 'consent';

export const pagePath = ({ id }: Transaction, page?: SignInPage) =>
  page === undefined ? `/ui/login/${id}` : `/ui/login/${id}/${page}`;

type AuthorizeQuery = Input<'OAuth_Authorize'>['query'];
type AuthorizeHeaders = Input<'OAuth_Authorize'>['headers'];

/** Reads from an authorization request who signs in, how, and from which device. */
export function readAuthorizeRequest(asked: AuthorizeQuery, headers: AuthorizeHeaders) {
  const { organization_id, connection_id, provider, login_hint } = asked;
  const domain = asked.domain_hint || asked.domain;
  return {
    ...(login_hint && { login_hint }),
    ...(organization_id && { wanted_organization_id: organization_id }),
    ...(connection_id && { wanted_connection_id: connection_id }),
    ...(provider && { wanted_provider: provider }),
    ...(domain && { wanted_domain: domain }),
    ...(asked.understudy_auto === '1' && { is_automatic: true }),
    device: deviceIn(headers),
  } satisfies Partial<Transaction>;
}

/** The row of the auth log: the id of the sign-in without the environment's name. */
export const authLogOf = ({ id }: Pick<Transaction, 'id'>): string => id.slice(id.lastIndexOf('.') + 1);

/** Unverified (sign-in/log-of-abandoned): the service may leave the log of an abandoned sign-in as it was. */
export const logAbandonedSignIn: Consequence = {
  collections: new Set(['login_transactions']),
  onSetUp: true,

  *apply(env, changes) {
    for (const { collection, before, after } of changes) {
      if (collection !== 'login_transactions' || (before as Transaction | undefined)?.status !== 'PENDING')
        continue;
      yield;
      const transaction = after as Transaction | undefined;
      const log = transaction?.status === 'EXPIRED' && env.auth_logs.find(authLogOf(transaction));
      if (log) env.auth_logs.update(log.id, { status: 'FAILED' });
    }
  },
};

type AuthLog = Rows['auth_logs'];

/** The user may have turned back from the provider that the row names. */
const NO_CONNECTION = {
  connection_id: undefined,
  connection_type: undefined,
  connection_provider: undefined,
};

/** Writes the status of a sign-in to the auth log: one row per sign-in, even after the sign-in is over. */
export function logSignIn(env: Env, transaction: Transaction, status: AuthLog['status']): void {
  const id = authLogOf(transaction);
  const row = { ...whoAndHow(env, transaction), status };
  if (env.auth_logs.find(id)) env.auth_logs.update(id, { ...NO_CONNECTION, ...row });
  else env.auth_logs.insert({ ...row, id, timestamp: env.clock.iso() });
}

const MOST_STEPS = 100;

/** As the dashboard of the service names them. */
type Step =
  | 'Login page loaded'
  | 'Signup page loaded'
  | 'Verification email suppressed (test user)'
  | 'OTP verification failed'
  | 'OTP verification successful (test user)'
  | 'User created'
  | 'Organization created'
  | 'User added to organization'
  | 'Custom token claims interceptor triggered'
  | 'Callback to application'
  | 'Access token generated';

/** Adds a step to the auth log of a sign-in. */
export const noteStep = (env: Env, transaction: Pick<Transaction, 'id'>, step: Step): void =>
  noteStepIn(env, authLogOf(transaction), step);

export function noteStepIn(env: Env, id: string | undefined, step: Step): void {
  const log = env.auth_logs.find(id ?? '');
  if (!log) return;
  const steps = [...(log.steps ?? []), { time: env.clock.iso(), step }].slice(-MOST_STEPS);
  env.auth_logs.update(log.id, { steps });
}

/** The types of connections whose proof the hosted pages take themselves. */
const OWN_PROOFS: readonly string[] = ['PASSWORDLESS', 'WEBAUTHN'];

function whoAndHow(env: Env, transaction: Transaction) {
  const { client_id, user_id, identity, login_hint = '' } = transaction;
  const connection = env.connections.find(connectionOf(env, transaction) ?? '');
  const client = env.clients.get(client_id);
  const organization_id = transaction.organization_id ?? connection?.organization_id;
  return {
    email: identity?.email ?? env.users.find(user_id ?? '')?.email ?? login_hint,
    client_id,
    client_name: client.name,
    client_type: client.client_type ?? 'ENV',
    // Unverified (sign-in/workflow-in-log): `SSO` is the only workflow name in the docs.
    workflow: connection && !OWN_PROOFS.includes(connection.type) ? 'SSO' : 'LOGIN',
    ...(organization_id && { organization_id }),
    ...(connection && {
      connection_id: connection.id,
      connection_type: connection.type,
      connection_provider: connection.provider,
    }),
  };
}

/** The connection that proved who the user is, or, as long as nobody is known, the one where the user was sent. */
function connectionOf(env: Env, transaction: Transaction): string | undefined {
  const { user_id, identity, connection_id } = transaction;
  return user_id || identity ? provingConnection(env, transaction) : connection_id;
}
