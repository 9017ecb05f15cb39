import { invalidArgument, notFound } from '@understudy/core/contract/errors';
import type { Rows } from '@understudy/core/state/env';
import { LOGIN_REQUEST_LIFETIME } from '@understudy/core/operations/logins';
import type { Env } from '@understudy/core/state/env';
import { Redirect, withQuery, type Operations } from '@understudy/core/operations/handler';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { openTransaction, type Transaction } from '@understudy/core/operations/sign-in/transaction';
import { isEmail, type ProviderAnswer } from './answer-form.ts';
import { receiveAnswer } from './round-trip.ts';

type LoginRequest = Rows['login_requests'];

/** Redirects to the customer's own login page (Scalekit docs, Custom auth). */
export function customLogin(
  env: Env,
  { id }: Transaction,
  { id: connection_id, custom_login_uri = '' }: Rows['connections'],
): Redirect {
  const request = env.login_requests.insert({
    id: env.draw.id('lri'),
    connection_id,
    auth_request_id: id.slice(id.lastIndexOf('.') + 1),
    status: 'PENDING',
    expires_at: env.clock.after(LOGIN_REQUEST_LIFETIME),
    state: withEnvironmentName(env, env.draw.text(32)),
  });
  return new Redirect(withQuery(custom_login_uri, { login_request_id: request.id, state: request.state }));
}

export const customReturn = {
  IdentityProvider_ReturnCustom({ path, query, cookies }, env) {
    const request = requestOf(env, env.connections.get(path.connection_id), query.state);
    const transaction = openTransaction(env, withEnvironmentName(env, request.auth_request_id), cookies);
    const answer = answerOf(request);
    env.login_requests.update(request.id, { state: undefined });
    return receiveAnswer(env, transaction, answer, { cookies, status: 302 });
  },
} satisfies Partial<Operations>;

function requestOf(env: Env, { id }: Rows['connections'], state: string | undefined): LoginRequest {
  if (!state) throw invalidArgument('state is missing: send the one that the login page was opened with');
  const request = env.login_requests.findBy('state', state);
  if (request?.connection_id !== id) throw notFound('login request', 'with this state');
  return request;
}

/**
 * Unverified (identity-provider/login-without-user): the docs do not say what happens if the login page has reported no
 * user.
 */
function answerOf({ id, connection_id, status, user = {} }: LoginRequest): ProviderAnswer {
  const error = 'authentication_not_completed';
  const why = `login request ${id} is ${status.toLowerCase()}`;
  if (status !== 'COMPLETED') return { error, error_description: why };
  const { sub, email, custom_attributes, ...profile } = user as Record<string, unknown>;
  if (typeof email !== 'string' || !isEmail(email))
    return {
      error: 'mandatory_attribute_missing',
      error_description: `login request ${id} has no e-mail address`,
    };
  const attributes = { ...profile, ...(custom_attributes as object | undefined) };
  return {
    identity: {
      connection_id,
      subject: String(sub),
      email,
      email_verified: profile['email_verified'] !== false,
      attributes,
    },
  };
}
