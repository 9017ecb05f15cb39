import type { Env, Rows } from '@understudy/core/state/env';
import { postedMessage, redirectAddress } from '@understudy/saml/bindings';
import { SamlRefusal } from '@understudy/saml/refusal';
import { authnRequest } from '@understudy/saml/requests';
import { signed } from '@understudy/saml/signature';
import { xmlText } from '@understudy/saml/xml';
import { Redirect, type CustomReply } from '@understudy/core/operations/handler';
import { withSettings } from '@understudy/core/operations/connections/settings';
import { providerName } from '@understudy/core/operations/connections/sign-in-connection';
import { drawBytes } from '@understudy/core/operations/passkeys/ceremonies';
import type { Transaction } from '@understudy/core/operations/sign-in/transaction';
import {
  serviceKey,
  serviceOf,
  simulatedProviderOf,
  isSimulated,
  wantedNameId,
} from '@understudy/core/operations/connections/saml-parties';
import { postingPage } from '@understudy/core/operations/hosted/posting';
import { readMetadata } from './provider-metadata.ts';

type Connection = Rows['connections'];

/** Sends the browser to the identity provider with a request to sign the user in. Throws `SamlRefusal`. */
export function sendRequest(env: Env, { id }: Transaction, connection: Connection): CustomReply {
  const { requestId, reply } = requestFor(env, connection, id);
  env.login_transactions.update(id, { saml_request_id: requestId });
  return reply;
}

interface SentRequest {
  requestId: string;
  reply: CustomReply;
}

/** A request whose answer comes back with this relay state. Throws `SamlRefusal`. */
export function requestFor(env: Env, found: Connection, relayState: string): SentRequest {
  const connection = readMetadata(env, found);
  const { saml_config = {} } = withSettings(env, connection);
  const usesPost = saml_config.idp_sso_request_binding === 'HTTP_POST';
  const address = signOnAddress(env, connection, usesPost);
  const requestId = `id-${drawBytes(env, 20).toString('hex')}`;
  const { entityId: issuer, consumerUrl } = serviceOf(env, connection);
  const request = authnRequest({
    id: requestId,
    now: env.clock.ms,
    issuer,
    destination: address,
    consumerUrl,
    nameIdFormat: wantedNameId(saml_config),
    forceAuthn: saml_config.force_authn ?? false,
  });
  const key = saml_config.want_request_signed ? serviceKey() : undefined;
  env.note(`SAML request ${requestId} to ${address}`);
  if (!usesPost) {
    const message = { name: 'SAMLRequest', xml: xmlText(request), relayState, key } as const;
    return { requestId, reply: new Redirect(redirectAddress(address, message)) };
  }
  const fields = {
    SAMLRequest: postedMessage(xmlText(key ? signed(request, key) : request)),
    RelayState: relayState,
  };
  const title = `On to ${providerName(connection)}`;
  return { requestId, reply: postingPage({ title, address, fields }) };
}

function signOnAddress(env: Env, connection: Connection, usesPost: boolean): string {
  if (isSimulated(env, connection)) return simulatedProviderOf(env, connection).signOnUrl;
  const { saml_config = {}, saml_metadata } = connection;
  const [first, second] = usesPost
    ? [saml_metadata?.sso_post_url, saml_metadata?.sso_redirect_url]
    : [saml_metadata?.sso_redirect_url, saml_metadata?.sso_post_url];
  const address = first ?? second ?? saml_config.idp_sso_url;
  if (address) return address;
  throw new SamlRefusal({
    check: 'message',
    problem: `connection ${connection.id} does not know where its identity provider is`,
    expected: 'idp_metadata_url or idp_sso_url',
    received: 'neither',
    error: 'invalid_saml_metadata',
  });
}
