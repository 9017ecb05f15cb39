import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import {
  readAuthnRequest,
  readSignedAuthnRequest,
  type ReadAuthnRequest,
} from '../../saml/message-reading.ts';
import { SamlRefusal } from '../../saml/refusal.ts';
import { messageText, receivedMessage, type Delivery } from './received-message.ts';
import { serviceProviderOf } from './service-providers.ts';

/** Reads the request of a service provider, and checks its signature if its certificate is known. Throws `SamlRefusal`. */
export function checkedRequest(
  env: Env,
  connection: Rows['connections'],
  delivery: Delivery,
): ReadAuthnRequest {
  const claimed = readAuthnRequest(messageText('SAMLRequest', delivery));
  const { id, issuer } = claimed;
  const known = serviceProviderOf(env, connection, issuer);
  const isSigned = claimed.isSigned || (!delivery.body && delivery.query.Signature !== undefined);
  const certificates = known?.signing ?? [];
  const note = (verdict: string) => env.note(`SAML request ${id} of ${issuer}: ${verdict}`);
  if (!isSigned && known?.mustSign) throw unsigned(issuer);
  if (isSigned && certificates.length > 0) {
    const trust = { certificates, owner: issuer };
    const { xml, sender } = receivedMessage('SAMLRequest', delivery, trust);
    const request = readSignedAuthnRequest(xml, sender);
    note('its signature is good');
    return request;
  }
  note(
    isSigned
      ? 'its signature is not checked, because saml_provider.service_providers has no certificate for it'
      : 'it is not signed',
  );
  return claimed;
}

const unsigned = (issuer: string) =>
  new SamlRefusal({
    check: 'signature',
    problem: `${issuer} must sign its requests, and this one is not signed`,
    expected: 'a signed AuthnRequest',
    received: 'no signature',
    error: 'signature_validation_failed',
  });
