import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { html } from '../../pages/html.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
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

/** Unverified: the docs give this address but not the page. Here the test stores nothing. */
export const connectionTest = {
  IdentityProvider_ShowTest({ path }, env) {
    return showForm(env, connectionAt(env, path));
  },

  IdentityProvider_Test({ path, body = {} }, env) {
    const connection = connectionAt(env, path);
    const answer = readAnswer(connection, body);
    if ('problems' in answer) return showForm(env, connection, body, answer.problems);
    return showResult(connection, answer);
  },
} satisfies Partial<Operations>;

const addressOf = (connection: Connection) => `/sso/v1/${protocolOf(connection)}/${connection.id}/test`;

function showForm(
  env: Env,
  connection: Connection,
  filled: ProviderForm = {},
  problems: ProviderFormProblems = {},
): CustomReply {
  const off = isActive(connection) ? '' : ', which is not active yet';
  const purpose = `To try connection ${connection.id}${off}`;
  return providerPage(env, {
    connection,
    action: addressOf(connection),
    csrf_token: '',
    purpose,
    filled,
    problems,
  });
}

function showResult(
  connection: Connection,
  { identity, error, error_description }: ProviderAnswer,
): CustomReply {
  const rows = identity
    ? { subject: identity.subject, email: identity.email, ...identity.attributes }
    : { error, error_description };
  const body = html`<section class="card">
    <h1>${identity ? 'The connection works' : 'The provider refused'}</h1>
    <p class="faint">What ${providerName(connection)} sent, as an application would get it.</p>
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
