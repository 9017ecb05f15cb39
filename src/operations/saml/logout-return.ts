import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { failedPrecondition } from '../../errors.ts';
import { postedMessage, redirectAddress } from '../../saml/bindings.ts';
import {
  readForeignLogoutRequest,
  readLogoutRequest,
  readLogoutResponse,
  type ReadLogoutResponse,
} from '../../saml/message-reading.ts';
import { statusName } from '../../saml/names.ts';
import { SamlRefusal, type SamlCheck } from '../../saml/refusal.ts';
import { logoutResponse } from '../../saml/requests.ts';
import { signed } from '../../saml/signature.ts';
import { xmlText } from '../../saml/xml.ts';
import { Redirect, type CustomReply } from '../custom-reply.ts';
import { withSettings } from '../connections/settings.ts';
import type { Operations } from '../handler.ts';
import { providerName } from '../identity-provider/sign-in-connection.ts';
import { drawBytes } from '../passkeys/ceremonies.ts';
import { signedOutPage } from '../sign-out.ts';
import {
  issuerOf,
  orRefusalPage,
  providerKey,
  serviceKey,
  serviceOf,
  simulatedProviderOf,
  trustOf,
} from './parties.ts';
import { postingPage, samlConnection } from './posting.ts';
import { readMetadata } from './provider-metadata.ts';
import { receivedMessage } from './received-message.ts';

type Connection = Rows['connections'];
type Session = Rows['sessions'];

/** Sign-outs that begin at the application: what the simulated provider answers, and how the service goes on. */
export const logoutReturn = {
  Saml_AnswerLogout({ path, query, body }, env) {
    return orRefusalPage(() => {
      const connection = samlConnection(env, path.connection_id);
      const { xml, sender } = receivedMessage(
        'SAMLRequest',
        { query, body },
        { certificates: [serviceKey().certificate], now: env.clock.ms },
      );
      const { want_request_signed } = connection.saml_config ?? {};
      const request = want_request_signed ? readLogoutRequest(xml, sender) : readForeignLogoutRequest(xml);
      const service = serviceOf(env, connection);
      if (request.issuer !== service.entityId)
        throw failedPrecondition(
          `the simulated provider answers sign-outs of ${service.entityId} only, and not of ${request.issuer}`,
        );
      env.note(`SAML sign-out request ${request.id} of ${request.issuer} for ${request.nameId.value}`);
      return answer(env, connection, request.id, (body ?? query).RelayState);
    });
  },

  Saml_ReturnLogout({ path, query, body }, env) {
    return orRefusalPage(() => {
      const connection = readMetadata(env, samlConnection(env, path.connection_id));
      const { xml, sender } = receivedMessage('SAMLResponse', { query, body }, trustOf(env, connection));
      const response = readLogoutResponse(xml, sender);
      const { id, saml_logout } = checkedSession(env, connection, response);
      env.sessions.update(id, { saml_logout: undefined });
      env.note(`SAML sign-out response of ${response.issuer} is good: session ${id}`);
      const target = saml_logout?.target;
      return target === undefined ? signedOutPage() : new Redirect(target, { status: body ? 303 : 302 });
    });
  },
} satisfies Partial<Operations>;

const refuse = (check: SamlCheck, problem: string, expected: string, received = '') =>
  new SamlRefusal({ check, problem, expected, received, error: 'invalid_saml_response' });

/** The session whose sign-out a response answers. Throws `SamlRefusal`. */
function checkedSession(env: Env, connection: Connection, response: ReadLogoutResponse): Session {
  const { issuer, destination, inResponseTo = '', statusCode } = response;
  const provider = issuerOf(env, connection);
  const { logoutUrl } = serviceOf(env, connection);
  if (provider !== undefined && issuer !== provider)
    throw refuse('issuer', 'another identity provider answers the sign-out', provider, issuer);
  if (destination !== undefined && destination !== logoutUrl)
    throw refuse('destination', 'the answer is for another address', logoutUrl, destination);
  const session = env.sessions.findBy('saml_logout', inResponseTo);
  if (session?.saml_logout?.connection_id !== connection.id)
    throw refuse(
      'request',
      'no sign-out waits for this answer, or it was answered before',
      `InResponseTo of a sign-out request for connection ${connection.id}`,
      inResponseTo,
    );
  if (statusCode !== statusName('Success'))
    throw refuse(
      'status',
      'the identity provider did not sign the user out',
      statusName('Success'),
      statusCode,
    );
  return session;
}

/** The answer of the simulated provider, with the faults that `saml_provider` asks for. */
function answer(
  env: Env,
  connection: Connection,
  inResponseTo: string,
  relayState: string | undefined,
): CustomReply {
  const { sign, issuer, recipient } = connection.saml_provider ?? {};
  const address = serviceOf(env, connection).logoutUrl;
  const told = logoutResponse({
    id: `_${drawBytes(env, 20).toString('hex')}`,
    now: env.clock.ms,
    issuer: issuer ?? simulatedProviderOf(env, connection).entityId,
    destination: recipient ?? address,
    inResponseTo,
    status: 'Success',
  });
  const key = sign === 'none' ? undefined : providerKey(connection);
  if (withSettings(env, connection).saml_config?.idp_slo_request_binding !== 'HTTP_POST')
    return new Redirect(
      redirectAddress(address, { name: 'SAMLResponse', xml: xmlText(told), relayState, key }),
    );
  return postingPage({
    title: `Back from ${providerName(connection)}`,
    address,
    fields: {
      SAMLResponse: postedMessage(xmlText(key ? signed(told, key) : told)),
      RelayState: relayState,
    },
  });
}
