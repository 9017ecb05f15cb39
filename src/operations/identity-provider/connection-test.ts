import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { html } from '../../pages/html.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import { openedTest, storeTest, type OpenedTest } from '../connections/tests.ts';
import type { Operations } from '../handler.ts';
import { checkCsrfToken } from '../hosted/browser.ts';
import {
  readAnswer,
  type ProviderForm,
  type ProviderFormProblems,
  type ProviderAnswer,
} from './answer-form.ts';
import { providerName, isActive, protocolOf } from './sign-in-connection.ts';
import { providerPage } from './provider-page.ts';
import { connectionAt } from './round-trip.ts';

type Connection = Rows['connections'];

/** Unverified (identity-provider/test-page): the docs give this address but not the page. */
export const connectionTest = {
  IdentityProvider_ShowTest({ path }, env) {
    env.decidedBy('identity-provider/test-page');
    const connection = connectionAt(env, path);
    const test = { id: env.draw.id('test'), csrf_token: env.draw.text(32) };
    storeTest(env, connection, { ...test, status: 'PENDING' });
    return showForm(env, connection, test);
  },

  IdentityProvider_Test({ path, query, body = {} }, env) {
    const connection = connectionAt(env, path);
    const test = openedTest(env, connection, query.test_request_id);
    checkCsrfToken(body, test.csrf_token);
    const answer = readAnswer(connection, body);
    if ('problems' in answer) return showForm(env, connection, test, body, answer.problems);
    storeTest(env, connection, { ...test, ...resultOf(answer) });
    return showResult(connection, test.id, answer);
  },
} satisfies Partial<Operations>;

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
    <h1>${identity ? 'The connection works' : 'The provider refused'}</h1>
    <p class="faint">
      What ${providerName(connection)} sent, as an application would get it. Test <code>${id}</code>
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
