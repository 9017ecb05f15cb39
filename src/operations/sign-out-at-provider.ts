import type { Env, Rows } from '../state/env.ts';
import { postedMessage, redirectAddress } from '@understudy/saml/bindings';
import { NAME_ID_FORMATS } from '@understudy/saml/names';
import { logoutRequest } from '@understudy/saml/requests';
import { signed } from '@understudy/saml/signature';
import { xmlText } from '@understudy/saml/xml';
import { Redirect, type CustomReply } from './handler.ts';
import { withSettings } from './connections/settings.ts';
import { providerName } from './connections/sign-in-connection.ts';
import { drawBytes } from './passkeys/ceremonies.ts';
import {
  isSimulated,
  serviceKey,
  serviceOf,
  simulatedProviderOf,
  wantedNameId,
} from './connections/saml-parties.ts';
import { postingPage } from './hosted/posting.ts';

type Connection = Rows['connections'];
type Session = Rows['sessions'];

interface LogoutAtProvider {
  /** Where the browser goes after the provider's answer; undefined: nowhere. */
  target: string | undefined;
  status: 302 | 303;
  /** Values of `Set-Cookie` headers, each with its attributes. */
  cookies: string[];
}

/**
 * Leads the browser of an ended session to the identity provider of its latest SAML connection that asks for it, so that the
 * user is signed out there too; undefined: no connection asks for it.
 * Unverified (saml/logout-order): the session ends before the provider answers.
 */
export function leadToProvider(
  env: Env,
  session: Session,
  { target, status, cookies }: LogoutAtProvider,
): CustomReply | undefined {
  const asked = askingConnection(env, session);
  if (!asked) return undefined;
  env.decidedBy('saml/logout-order');
  const { connection, address, name } = asked;
  const { saml_config = {} } = withSettings(env, connection);
  const request_id = `id-${drawBytes(env, 20).toString('hex')}`;
  const saml_logout = { connection_id: connection.id, request_id, ...(target && { target }) };
  env.sessions.update(session.id, { saml_logout });
  const request = logoutRequest({
    id: request_id,
    now: env.clock.ms,
    issuer: serviceOf(env, connection).entityId,
    destination: address,
    nameId: { value: name.name_id, format: NAME_ID_FORMATS[wantedNameId(saml_config)] },
    sessionIndex: name.session_index,
  });
  env.note(`SAML sign-out request ${request_id} to ${address}`);
  const key = saml_config.want_request_signed ? serviceKey() : undefined;
  if (saml_config.idp_slo_request_binding !== 'HTTP_POST')
    return new Redirect(redirectAddress(address, { name: 'SAMLRequest', xml: xmlText(request), key }), {
      status,
      cookies,
    });
  const message = postedMessage(xmlText(key ? signed(request, key) : request));
  const title = `Signing out at ${providerName(connection)}`;
  return postingPage({ title, address, fields: { SAMLRequest: message } }, cookies);
}

/**
 * The latest connection of the session that asks for sign-outs at its provider, and where that takes them.
 * Unverified (saml/logout-required): the switch decides, and not the address alone.
 */
function askingConnection(env: Env, { saml_names = [] }: Session) {
  for (const name of saml_names.toReversed()) {
    const connection = env.connections.find(name.connection_id);
    if (!connection) continue;
    const address = addressOf(env, connection);
    if (!connection.saml_config?.idp_slo_required) {
      if (address) env.decidedBy('saml/logout-required');
      continue;
    }
    if (address) return { name, connection, address };
    env.note(`no SAML sign-out at ${connection.id}: idp_slo_required is on, and idp_slo_url is missing`);
  }
  return undefined;
}

function addressOf(env: Env, connection: Connection): string | undefined {
  const { saml_config, saml_metadata } = connection;
  const address = saml_config?.idp_slo_url || saml_metadata?.slo_url;
  return address && isSimulated(env, connection) ? simulatedProviderOf(env, connection).logoutUrl : address;
}
