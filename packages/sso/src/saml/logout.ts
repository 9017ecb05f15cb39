import type { Env, Rows } from '@understudy/core/state/env';
import { invalidArgument } from '@understudy/core/contract/errors';
import { html } from '@understudy/core/pages/html';
import { postedMessage, redirectAddress } from '@understudy/saml/bindings';
import { readLogoutRequest, type ReadLogoutRequest } from '@understudy/saml/message-reading';
import { NAME_ID_FORMATS } from '@understudy/saml/names';
import { SamlRefusal, shown } from '@understudy/saml/refusal';
import { logoutRequest, logoutResponse } from '@understudy/saml/requests';
import { signed } from '@understudy/saml/signature';
import { xmlText } from '@understudy/saml/xml';
import { Redirect, showPage, type CustomReply, type Operations } from '@understudy/core/operations/handler';
import { providerName } from '@understudy/core/operations/connections/sign-in-connection';
import { drawBytes } from '@understudy/core/operations/passkeys/ceremonies';
import { signOut } from '@understudy/core/operations/session-end';
import {
  issuerOf,
  logoutAddress,
  orRefusalPage,
  providerKey,
  serviceKey,
  serviceOf,
  simulatedProviderOf,
  trustOf,
} from '@understudy/core/operations/connections/saml-parties';
import { postingPage, samlConnection } from '@understudy/core/operations/hosted/posting';
import { readMetadata } from './provider-metadata.ts';
import { receivedMessage } from './received-request.ts';

type Connection = Rows['connections'];

/** Sign-outs that begin at the identity provider (SAML profiles 4.4). */
export const logout = {
  Saml_ReceiveLogout({ path, query, body }, env) {
    return orRefusalPage(() => {
      const connection = readMetadata(env, samlConnection(env, path.connection_id));
      const { xml, sender } = receivedMessage('SAMLRequest', { query, body }, trustOf(env, connection));
      const request = readLogoutRequest(xml, sender);
      checkRequest(env, connection, request);
      const ended = endSessions(env, connection, request);
      const { nameId, issuer } = request;
      env.note(`SAML sign-out of ${shown(nameId.value)} by ${shown(issuer)}: ${ended} sessions ended`);
      return answer(env, connection, request, (body ?? query).RelayState);
    });
  },

  Saml_ProviderLogout({ path, body = {} }, env) {
    const connection = samlConnection(env, path.connection_id);
    const name = body.name_id || body.email?.trim().toLowerCase();
    if (!name) throw invalidArgument('give the email or the name_id of the user');
    const address = logoutAddress(env, connection);
    const request = logoutRequest({
      id: drawId(env),
      now: env.clock.ms,
      issuer: simulatedProviderOf(env, connection).entityId,
      destination: address,
      nameId: { value: name, ...(!body.name_id && { format: NAME_ID_FORMATS.EMAIL }) },
    });
    const message = postedMessage(xmlText(signed(request, providerKey(connection))));
    const title = `Signing out at ${providerName(connection)}`;
    return postingPage({ title, address, fields: { SAMLRequest: message } });
  },
} satisfies Partial<Operations>;

const drawId = (env: Env) => `_${drawBytes(env, 20).toString('hex')}`;

function checkRequest(env: Env, connection: Connection, { issuer, destination }: ReadLogoutRequest): void {
  const provider = issuerOf(env, connection);
  const address = logoutAddress(env, connection);
  const refuse = (check: 'issuer' | 'destination', problem: string, expected: string, received: string) =>
    new SamlRefusal({ check, problem, expected, received, error: 'invalid_saml_request' });
  if (provider !== undefined && issuer !== provider)
    throw refuse('issuer', 'another identity provider asks for the sign-out', provider, issuer);
  if (destination !== undefined && destination !== address)
    throw refuse('destination', 'the sign-out is for another address', address, destination);
}

/** How many sessions ended: those that the user began with the connection; with session indexes, only those. */
function endSessions(env: Env, { id }: Connection, { nameId, sessionIndexes }: ReadLogoutRequest): number {
  const known = env.sessions.list('saml_name', `${id} ${nameId.value}`);
  const meant = known.filter(({ saml_names = [] }) =>
    saml_names.some(
      ({ connection_id, session_index }) =>
        connection_id === id && (sessionIndexes.length === 0 || sessionIndexes.includes(session_index ?? '')),
    ),
  );
  for (const session of meant) signOut(env, session);
  return meant.length;
}

function answer(
  env: Env,
  connection: Connection,
  { id }: ReadLogoutRequest,
  relayState: string | undefined,
): CustomReply {
  const { saml_config = {}, saml_metadata } = connection;
  const address = saml_config.idp_slo_url || saml_metadata?.slo_url;
  if (!address) return signedOutPage(connection);
  const told = logoutResponse({
    id: drawId(env),
    now: env.clock.ms,
    issuer: serviceOf(env, connection).entityId,
    destination: address,
    inResponseTo: id,
    status: 'Success',
  });
  const key = serviceKey();
  if (saml_config.idp_slo_request_binding === 'HTTP_POST')
    return postingPage({
      title: `Back to ${providerName(connection)}`,
      address,
      fields: { SAMLResponse: postedMessage(xmlText(signed(told, key))), RelayState: relayState },
    });
  return new Redirect(
    redirectAddress(address, { name: 'SAMLResponse', xml: xmlText(told), relayState, key }),
  );
}

function signedOutPage(connection: Connection): CustomReply {
  const body = html`<section class="card">
    <h1>You are signed out</h1>
    <p class="faint">${providerName(connection)} has signed you out. You can close this page.</p>
  </section>`;
  return showPage({ title: 'Signed out', body });
}
