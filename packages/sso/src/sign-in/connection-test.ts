import type { Env, Rows } from '@understudy/core/state/env';
import { invalidArgument } from '@understudy/core/contract/errors';
import { html } from '@understudy/core/pages/html';
import { SamlRefusal } from '@understudy/saml/refusal';
import { showPage, type CustomReply, type Operations } from '@understudy/core/operations/handler';
import { openedTest, storeTest, type OpenedTest } from '@understudy/core/operations/connections/tests';
import { checkCsrfToken } from '@understudy/core/operations/hosted/browser';
import { requestFor } from '../saml/request.ts';
import {
  readAnswer,
  type ProviderForm,
  type ProviderFormProblems,
  type ProviderAnswer,
} from './answer-form.ts';
import {
  providerName,
  isActive,
  protocolOf,
} from '@understudy/core/operations/connections/sign-in-connection';
import { providerPage } from './provider-page.ts';
import { connectionAt } from './round-trip.ts';

type Connection = Rows['connections'];

/** Unverified (identity-provider/test-page): the docs give this address but not the page. */
export const connectionTest = {
  IdentityProvider_ShowTest({ path }, env) {
    env.decidedBy('identity-provider/test-page');
    const connection = connectionAt(env, path);
    const test = { id: env.draw.id('test'), csrf_token: env.draw.text(32) };
    if (connection.type === 'SAML') return startSamlTest(env, connection, test);
    storeTest(env, connection, { ...test, status: 'PENDING' });
    return showForm(env, connection, test);
  },

  IdentityProvider_Test({ path, query, body = {} }, env) {
    const connection = connectionAt(env, path);
    if (connection.type === 'SAML')
      throw invalidArgument('a SAML connection is tested with a SAML response: open its test page');
    const test = openedTest(env, connection, query.test_request_id);
    checkCsrfToken(body, test.csrf_token);
    const answer = readAnswer(connection, body);
    if ('problems' in answer) return showForm(env, connection, test, body, answer.problems);
    return finishTest(env, connection, test, answer);
  },
} satisfies Partial<Operations>;

/** Sends the browser to the identity provider, as a sign-in does. */
function startSamlTest(env: Env, connection: Connection, test: OpenedTest): CustomReply {
  try {
    const { requestId, reply } = requestFor(env, connection, test.id);
    const pending = { ...test, status: 'PENDING' as const, saml_request_id: requestId };
    storeTest(env, env.connections.get(connection.id), pending);
    return reply;
  } catch (thrown) {
    if (!(thrown instanceof SamlRefusal)) throw thrown;
    const answer = { error: thrown.refused.error, error_description: thrown.message };
    return finishTest(env, env.connections.get(connection.id), test, answer);
  }
}

/** Stores what the test has shown, and shows it. */
export function finishTest(
  env: Env,
  connection: Connection,
  { id, csrf_token }: OpenedTest,
  answer: ProviderAnswer,
): CustomReply {
  storeTest(env, connection, { id, csrf_token, ...resultOf(answer) });
  return showResult(connection, id, answer);
}

const addressOf = (connection: Connection) => `/sso/v1/${protocolOf(connection)}/${connection.id}/test`;

function showForm(
  env: Env,
  connection: Connection,
  { id, csrf_token }: OpenedTest,
  filled: ProviderForm = {},
  problems: ProviderFormProblems = {},
): CustomReply {
  const off = isActive(connection) ? '' : ', which is not active yet';
  const purpose = `To try connection ${connection.id}${off}, in test ${id}`;
  return providerPage(env, {
    connection,
    action: `${addressOf(connection)}?test_request_id=${id}`,
    csrf_token,
    purpose,
    filled,
    problems,
  });
}

const userInfo = ({ subject, email, attributes }: NonNullable<ProviderAnswer['identity']>) => ({
  subject,
  email,
  ...attributes,
});

const resultOf = ({ identity, error, error_description }: ProviderAnswer) =>
  identity
    ? { status: 'SUCCESS' as const, user_info: JSON.stringify(userInfo(identity)) }
    : {
        status: 'FAILURE' as const,
        ...(error && { error }),
        ...(error_description && { error_description }),
      };

function showResult(
  connection: Connection,
  id: string,
  { identity, error, error_description }: ProviderAnswer,
): CustomReply {
  const rows = identity ? userInfo(identity) : { error, error_description };
  const body = html`<section class="card">
    <h1>${identity ? 'The connection works' : 'Nobody was signed in'}</h1>
    <p class="faint">
      What an application would get from ${providerName(connection)}. Test <code>${id}</code>
    </p>
    <dl>
      ${Object.entries(rows).map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${String(value)}</dd>`,
      )}
    </dl>
    <a class="button quiet" href="${addressOf(connection)}">Try again</a>
  </section>`;
  return showPage({ title: 'Test of a connection', body });
}
