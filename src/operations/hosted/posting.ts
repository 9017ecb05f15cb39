import type { Env, Rows } from '../../state/env.ts';
import { failedPrecondition, notFound } from '../../contract/errors.ts';
import { hidden } from '../../pages/controls.ts';
import { html } from '../../pages/html.ts';
import { isWebAddress } from '@understudy/text/addresses';
import { withoutEnvironment } from '@understudy/text/issued-code';
import { showPage, type CustomReply } from '../handler.ts';

/** The connection of an address, which names the environment too. */
export function samlConnection(env: Env, marked: string): Rows['connections'] {
  const connection = env.connections.get(withoutEnvironment(marked));
  if (connection.type !== 'SAML') throw notFound('SAML connection', connection.id);
  return connection;
}

interface PostedForm {
  /** What people see if no script runs. */
  title: string;
  address: string;
  fields: Readonly<Record<string, string | undefined>>;
}

/** A form that submits itself; without JavaScript the page shows a button. */
export function postingPage({ title, address, fields }: PostedForm, cookies: string[] = []): CustomReply {
  if (!isWebAddress(address))
    throw failedPrecondition(`a SAML message must go to an http or https address, not to ${address}`);
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p class="faint">One moment. If nothing happens, press Continue.</p>
    <form method="post" action="${address}">
      ${Object.entries(fields).map(([name, value]) => value !== undefined && hidden(name, value))}
      <button>Continue</button>
    </form>
  </section>`;
  return showPage({ title, body, script: 'document.forms[0].submit()' }, { cookies });
}
