import type { Env, Rows } from '@understudy/core/state/env';
import { readLogoutResponse, type ReadLogoutResponse } from '@understudy/saml/message-reading';
import { statusName } from '@understudy/saml/names';
import { SamlRefusal, shown, type SamlCheck } from '@understudy/saml/refusal';
import { Redirect, type Operations } from '@understudy/core/operations/handler';
import { signedOutPage } from '@understudy/core/operations/sign-out';
import {
  issuerOf,
  orRefusalPage,
  serviceOf,
  trustOf,
} from '@understudy/core/operations/connections/saml-parties';
import { samlConnection } from '@understudy/core/operations/hosted/posting';
import { readMetadata } from './provider-metadata.ts';
import { receivedMessage } from './received-request.ts';

type Connection = Rows['connections'];
type Session = Rows['sessions'];

/** Sign-outs that begin at the application: how the service goes on after the answer of the provider. */
export const logoutReturn = {
  Saml_ReturnLogout({ path, query, body }, env) {
    return orRefusalPage(() => {
      const connection = readMetadata(env, samlConnection(env, path.connection_id));
      const { xml, sender } = receivedMessage('SAMLResponse', { query, body }, trustOf(env, connection));
      const response = readLogoutResponse(xml, sender);
      const { id, saml_logout } = checkedSession(env, connection, response);
      env.sessions.update(id, { saml_logout: undefined });
      env.note(`SAML sign-out response of ${shown(response.issuer)} is good: session ${id}`);
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
