import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError, invalidArgument, notFound } from '@understudy/core/contract/errors';
import { Redirect, type CustomReply, type Operations } from '@understudy/core/operations/handler';
import { failSignIn } from '@understudy/core/operations/sign-in/complete';
import {
  logSignIn,
  openTransaction,
  submittedTransaction,
  type Transaction,
} from '@understudy/core/operations/sign-in/transaction';
import {
  readAnswer,
  type ProviderAnswer,
  type ProviderForm,
  type ProviderFormProblems,
} from './answer-form.ts';
import { SamlRefusal } from '@understudy/saml/refusal';
import { serviceOf } from '@understudy/core/operations/connections/saml-parties';
import { samlConnection } from '@understudy/core/operations/hosted/posting';
import { postAnswer } from '../saml/provider-pages.ts';
import { receiveResponse } from '../saml/receive.ts';
import { sendRequest } from '../saml/request.ts';
import { customLogin } from './custom-login.ts';
import { launchpadLink } from './initiate.ts';
import { providerPage } from './provider-page.ts';
import { connectionAt, receiveAnswer, redirectToCallback, takeProviderAnswer } from './round-trip.ts';
import { isActive } from '@understudy/core/operations/connections/sign-in-connection';

type Connection = Rows['connections'];

/** The way from a sign-in to the simulated identity provider and back. */
export const signOn = {
  IdentityProvider_Start({ path, query, cookies }, env) {
    const connection = connectionAt(env, path);
    const begun = openTransaction(env, requiredParameter(query.auth_request_id, 'auth_request_id'), cookies);
    // An answer of another provider does not count for this connection.
    const at = { connection_id: connection.id, provider_answer: undefined };
    const transaction = env.login_transactions.update(begun.id, at);
    if (!isActive(connection))
      return failSignIn(
        env,
        transaction,
        'connection_not_active',
        `connection ${connection.id} is not active`,
      );
    logSignIn(env, transaction, 'PENDING');
    if (connection.custom_login_uri) return customLogin(env, transaction, connection);
    if (connection.type === 'SAML') return startSaml(env, transaction, connection);
    return new Redirect(pageOf(env, transaction));
  },

  IdentityProvider_Show({ path, cookies }, env) {
    return showProvider(env, openTransaction(env, path.transaction_id, cookies));
  },

  IdentityProvider_Answer({ path, cookies, body = {} }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const connection = connectionOf(env, transaction);
    const answer = readAnswer(connection, body);
    if ('problems' in answer) return showProvider(env, transaction, body, answer.problems);
    if (connection.type === 'SAML') return answerSaml(env, transaction, connection, { answer, form: body });
    return redirectToCallback(env, transaction, connection, answer);
  },

  IdentityProvider_Return({ path, query, cookies }, env) {
    const { code, state } = query;
    const connection = connectionAt(env, path);
    const transaction = openTransaction(env, requiredParameter(state, 'state'), cookies);
    if (transaction.connection_id !== connection.id)
      throw new ApiError('permission_denied', 'this answer is for another connection: start again');
    const answer = takeProviderAnswer(env, transaction, code);
    return receiveAnswer(env, transaction, answer, { cookies, status: 302 });
  },

  IdentityProvider_ReturnSaml({ path, body = {}, cookies }, env) {
    return receiveResponse(env, samlConnection(env, path.connection_id), body, cookies);
  },
} satisfies Partial<Operations>;

function requiredParameter(value: string | undefined, name: string): string {
  if (!value) throw invalidArgument(`${name} is missing: start at the application`);
  return value;
}

const pageOf = ({ baseUrl }: Env, { id }: Transaction) => `${baseUrl}/ui/identity-provider/${id}`;

function connectionOf(env: Env, { id, connection_id = '' }: Transaction): Connection {
  const connection = env.connections.find(connection_id);
  if (!connection) throw notFound('identity provider', `of sign-in ${id}`);
  return connection;
}

function showProvider(
  env: Env,
  transaction: Transaction,
  filled?: ProviderForm,
  problems?: ProviderFormProblems,
): CustomReply {
  const { csrf_token, login_hint, client_id } = transaction;
  const connection = connectionOf(env, transaction);
  return providerPage(env, {
    connection,
    action: `/ui/identity-provider/${transaction.id}`,
    csrf_token,
    purpose: `To continue to ${env.clients.get(client_id).name}`,
    filled: filled ?? { ...(login_hint && { email: login_hint }) },
    ...(problems && { problems }),
    below: launchpadLink(env, connection),
  });
}

/** A request that cannot be made, because the provider's metadata is missing, fails the sign-in. */
function startSaml(env: Env, transaction: Transaction, connection: Connection): CustomReply {
  try {
    return sendRequest(env, transaction, connection);
  } catch (thrown) {
    if (!(thrown instanceof SamlRefusal)) throw thrown;
    return failSignIn(env, transaction, thrown.refused.error, thrown.message);
  }
}

interface FilledForm {
  answer: ProviderAnswer;
  form: ProviderForm;
}

/** The simulated provider answers the request of the sign-in. */
function answerSaml(
  env: Env,
  { id, saml_request_id }: Transaction,
  connection: Connection,
  filled: FilledForm,
): CustomReply {
  const { consumerUrl, entityId: audience } = serviceOf(env, connection);
  const receiver = { consumerUrl, audience, inResponseTo: saml_request_id, isService: true };
  return postAnswer(env, connection, { ...filled, receiver, relayState: id });
}
