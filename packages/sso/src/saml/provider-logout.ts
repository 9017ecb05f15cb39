import type { Env, Rows } from '@understudy/core/state/env';
import { failedPrecondition } from '@understudy/core/contract/errors';
import { postedMessage, redirectAddress } from '@understudy/saml/bindings';
import type { Binding } from '@understudy/saml/names';
import { shown } from '@understudy/saml/refusal';
import { logoutResponse } from '@understudy/saml/requests';
import { signed } from '@understudy/saml/signature';
import { xmlText } from '@understudy/saml/xml';
import { Redirect, type CustomReply, type Operations } from '@understudy/core/operations/handler';
import { withSettings } from '@understudy/core/operations/connections/settings';
import { providerName } from '@understudy/core/operations/connections/sign-in-connection';
import { drawBytes } from '@understudy/core/operations/passkeys/ceremonies';
import {
  orRefusalPage,
  providerKey,
  serviceOf,
  simulatedProviderOf,
} from '@understudy/core/operations/connections/saml-parties';
import { postingPage, samlConnection } from '@understudy/core/operations/hosted/posting';
import { checkedLogoutRequest } from './received-request.ts';
import { serviceProviderOf } from './service-providers.ts';

type Connection = Rows['connections'];

/** What the simulated provider answers to a sign-out: of the service, and of service providers of testers. */
export const providerLogout = {
  Saml_AnswerLogout({ path, query, body }, env) {
    return orRefusalPage(() => {
      const connection = samlConnection(env, path.connection_id);
      const request = checkedLogoutRequest(env, connection, { query, body });
      const { id, issuer, nameId } = request;
      env.note(`SAML sign-out request ${shown(id)} of ${shown(issuer)} for ${shown(nameId.value)}`);
      const binding = body ? 'HTTP_POST' : 'HTTP_REDIRECT';
      return answer(env, connection, {
        ...answerTo(env, connection, issuer, binding),
        inResponseTo: id,
        relayState: (body ?? query).RelayState,
      });
    });
  },
} satisfies Partial<Operations>;

interface Receiver {
  address: string;
  binding: Binding;
}

/** Where the answer goes. A request does not say that (SAML core 3.7.1). */
function answerTo(env: Env, connection: Connection, issuer: string, binding: Binding): Receiver {
  const service = serviceOf(env, connection);
  if (issuer === service.entityId) {
    const { saml_config = {} } = withSettings(env, connection);
    const usesPost = saml_config.idp_slo_request_binding === 'HTTP_POST';
    return { address: service.logoutUrl, binding: usesPost ? 'HTTP_POST' : 'HTTP_REDIRECT' };
  }
  const { HTTP_REDIRECT, HTTP_POST } = serviceProviderOf(env, connection, issuer)?.logout ?? {};
  const other = binding === 'HTTP_POST' ? 'HTTP_REDIRECT' : 'HTTP_POST';
  const addresses = { HTTP_REDIRECT, HTTP_POST };
  const used = addresses[binding] ? binding : other;
  const address = addresses[used];
  if (address) return { address, binding: used };
  throw failedPrecondition(
    `the simulated provider does not know where to answer the sign-out of ${shown(issuer)}: give its logout_url, or metadata with a SingleLogoutService, in saml_provider.service_providers`,
  );
}

interface Answered extends Receiver {
  inResponseTo: string;
  relayState: string | undefined;
}

/** The answer, with the faults that `saml_provider` asks for. */
function answer(
  env: Env,
  connection: Connection,
  { address, binding, inResponseTo, relayState }: Answered,
): CustomReply {
  const { sign, issuer, recipient } = connection.saml_provider ?? {};
  const told = logoutResponse({
    id: `_${drawBytes(env, 20).toString('hex')}`,
    now: env.clock.ms,
    issuer: issuer ?? simulatedProviderOf(env, connection).entityId,
    destination: recipient ?? address,
    inResponseTo,
    status: 'Success',
  });
  const key = sign === 'none' ? undefined : providerKey(connection);
  if (binding === 'HTTP_REDIRECT')
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
