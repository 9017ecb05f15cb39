import { invalidArgument, notFound } from '../../errors.ts';
import { html } from '../../pages/html.ts';
import { hidden } from '../../pages/parts.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, withQuery, type Answer } from '../answer.ts';
import { carrying } from '../environment-mark.ts';
import { showPage } from '../page-answer.ts';
import type { Transaction } from '../sign-in/transaction.ts';
import type { ProviderAnswer } from './answer-form.ts';
import { providerName } from './provider-name.ts';
import { protocolOf, type Protocol } from './start-address.ts';

type Connection = Rows['connections'];

/** The connection of an address below /sso/v1. */
export function connectionAt(world: World, path: { protocol: Protocol; connection_id: string }): Connection {
  const connection = world.connections.get(path.connection_id);
  if (protocolOf(connection) !== path.protocol) throw notFound('connection', connection.id);
  return connection;
}

/** Keeps the answer, and sends the browser to the connection's callback with what stands for it. */
export function sendBack(
  world: World,
  { id, redirect_uri }: Transaction,
  connection: Connection,
  answer: ProviderAnswer,
): Answer {
  const answer_token = carrying(world, world.draw.text(40));
  world.login_transactions.update(id, { provider_answer: { ...answer, answer_token } });
  const protocol = protocolOf(connection);
  const callback = `${world.baseUrl}/sso/v1/${protocol}/${connection.id}/callback`;
  if (protocol !== 'saml')
    return new Redirect(withQuery(callback, { code: answer_token, state: id }), { status: 303 });
  const response = samlResponse({ callback, transaction: id, token: answer_token, failed: !answer.identity });
  return postingPage({ connection, callback, response, relayState: id, leadsTo: [redirect_uri] });
}

/** What the browser brought back, once and for all. Throws for an answer that was never given, or is used up. */
export function takeAnswer(
  world: World,
  { id, provider_answer }: Transaction,
  token: string | undefined,
): ProviderAnswer {
  if (!provider_answer || provider_answer.answer_token !== token)
    throw invalidArgument('this answer of the identity provider is unknown, or was used: begin again');
  world.login_transactions.update(id, { provider_answer: undefined });
  return provider_answer;
}

interface SamlParts {
  callback: string;
  transaction: string;
  token: string;
  failed: boolean;
}

function samlResponse({ callback, transaction, token, failed }: SamlParts): string {
  const status = `urn:oasis:names:tc:SAML:2.0:status:${failed ? 'Responder' : 'Success'}`;
  const xml = html`<samlp:Response
    xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
    Version="2.0"
    ID="_${token}"
    InResponseTo="${transaction}"
    Destination="${callback}"
    ><samlp:Status><samlp:StatusCode Value="${status}" /></samlp:Status
  ></samlp:Response>`;
  return Buffer.from(xml.text).toString('base64');
}

/** The answer that a SAML response stands for. */
export const tokenInSaml = (response: string): string | undefined =>
  / ID="_([\w.-]+)"/.exec(Buffer.from(response, 'base64').toString())?.[1];

interface Posting {
  connection: Connection;
  callback: string;
  response: string;
  relayState: string;
  leadsTo: string[];
}

/** SAML's answer is a form; browsers without scripts have a button for it (reference: login-and-tokens 4.3). */
function postingPage({ connection, callback, response, relayState, leadsTo }: Posting): Answer {
  const name = providerName(connection);
  const body = html`<section class="card">
    <h1>Back from ${name}</h1>
    <p class="faint">One moment. If nothing happens, go on yourself.</p>
    <form method="post" action="${callback}">
      ${hidden('SAMLResponse', response)} ${hidden('RelayState', relayState)}
      <button>Go on</button>
    </form>
  </section>`;
  return showPage({ title: `Back from ${name}`, body, leadsTo, script: 'document.forms[0].submit()' });
}
