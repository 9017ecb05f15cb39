import type { Env, Rows } from '@understudy/core/state/env';
import { invalidArgument, notFound, OAuthError } from '@understudy/core/contract/errors';
import { withEnvironmentName, withoutEnvironment } from '@understudy/text/issued-code';
import { Redirect, withQuery, type CustomReply } from '@understudy/core/operations/handler';
import { completeModularSignIn, failSignIn } from '@understudy/core/operations/sign-in/complete';
import type { BrowserCookies } from '@understudy/core/operations/hosted/browser';
import { identify } from '@understudy/core/operations/sign-in/identify';
import { nextStep } from '@understudy/core/operations/sign-in/steps';
import type { Transaction } from '@understudy/core/operations/sign-in/transaction';
import type { ProviderAnswer } from './answer-form.ts';
import {
  connectionForEmail,
  isSocial,
  protocolOf,
  startAddress,
  type Protocol,
} from '@understudy/core/operations/connections/sign-in-connection';

type Connection = Rows['connections'];

export function connectionAt(env: Env, path: { protocol: Protocol; connection_id: string }): Connection {
  const connection = env.connections.get(withoutEnvironment(path.connection_id));
  if (protocolOf(connection) !== path.protocol) throw notFound('connection', connection.id);
  return connection;
}

/** Stores the provider's answer and redirects to the connection's callback with a token for it. */
export function redirectToCallback(
  env: Env,
  { id }: Transaction,
  connection: Connection,
  answer: ProviderAnswer,
): Redirect {
  const answer_token = withEnvironmentName(env, env.draw.text(40));
  env.login_transactions.update(id, { provider_answer: { ...answer, answer_token } });
  const callback = `${env.baseUrl}/sso/v1/${protocolOf(connection)}/${connection.id}/callback`;
  return new Redirect(withQuery(callback, { code: answer_token, state: id }), { status: 303 });
}

/** Takes a stored answer, once. Throws for an answer that is unknown or already used. */
export function takeProviderAnswer(
  env: Env,
  { id, provider_answer }: Transaction,
  token: string | undefined,
): ProviderAnswer {
  if (!provider_answer || provider_answer.answer_token !== token)
    throw invalidArgument('this answer of the identity provider is unknown, or was used before: start again');
  env.login_transactions.update(id, { provider_answer: undefined });
  return provider_answer;
}

interface Browser {
  cookies: BrowserCookies;
  status: 302 | 303;
}

/** Continues the sign-in with the provider's answer. */
export function receiveAnswer(
  env: Env,
  transaction: Transaction,
  { identity, error = 'server_error', error_description = '' }: ProviderAnswer,
  { cookies, status }: Browser,
): CustomReply {
  if (!identity) return failSignIn(env, transaction, error, error_description, status);
  if (!env.settings.get('settings').full_stack_auth)
    return completeModularSignIn(env, { ...transaction, identity }, status);
  const home = homeConnection(env, transaction, identity.email);
  if (home) return new Redirect(startAddress(env, transaction, home), { status });
  try {
    return nextStep(env, identify(env, transaction, identity), cookies, status);
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    return failSignIn(env, transaction, thrown.error, thrown.message, status);
  }
}

/**
 * After a social sign-in, users whose domain has its own identity provider must sign in there too (Scalekit
 * docs, Authentication flow).
 */
function homeConnection(env: Env, { connection_id = '' }: Transaction, email: string) {
  const connection = env.connections.find(connection_id);
  return connection && isSocial(connection) ? connectionForEmail(env, email) : undefined;
}
