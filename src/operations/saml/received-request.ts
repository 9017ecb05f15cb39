import type { Env, Rows } from '../../state/env.ts';
import {
  readAuthnRequest,
  readForeignLogoutRequest,
  readLogoutRequest,
  readSignedAuthnRequest,
  type ReadAuthnRequest,
  type ReadLogoutRequest,
  type Sender,
} from '../../saml/message-reading.ts';
import { SamlRefusal, shown } from '../../saml/refusal.ts';
import { messageText, receivedMessage, type Delivery } from './received-message.ts';
import { serviceProviderOf } from './service-providers.ts';

/** Reads the request of a service provider, and checks its signature if its certificate is known. Throws `SamlRefusal`. */
export const checkedRequest = (
  env: Env,
  connection: Rows['connections'],
  delivery: Delivery,
): ReadAuthnRequest =>
  checked(env, connection, delivery, {
    read: readAuthnRequest,
    readSigned: readSignedAuthnRequest,
    name: 'AuthnRequest',
  });

/** The same for a request to sign out, which must be signed if a certificate is known (SAML profiles 4.4.3.1). */
export const checkedLogoutRequest = (
  env: Env,
  connection: Rows['connections'],
  delivery: Delivery,
): ReadLogoutRequest =>
  checked(env, connection, delivery, {
    read: readForeignLogoutRequest,
    readSigned: readLogoutRequest,
    name: 'LogoutRequest',
  });

interface Reader<T> {
  read: (xml: string) => T;
  readSigned: (xml: string, sender: Sender) => T;
  name: 'AuthnRequest' | 'LogoutRequest';
}

function checked<T extends { id: string; issuer: string; isSigned: boolean }>(
  env: Env,
  connection: Rows['connections'],
  delivery: Delivery,
  { read, readSigned, name }: Reader<T>,
): T {
  const claimed = read(messageText('SAMLRequest', delivery));
  const { id, issuer } = claimed;
  const known = serviceProviderOf(env, connection, issuer);
  const isSigned = claimed.isSigned || (!delivery.body && delivery.query.Signature !== undefined);
  const certificates = known?.signing ?? [];
  const note = (verdict: string) => env.note(`SAML request ${shown(id)} of ${shown(issuer)}: ${verdict}`);
  if (!isSigned && (name === 'LogoutRequest' ? known?.mustSignLogout : known?.mustSign))
    throw unsigned(issuer, name);
  if (isSigned && certificates.length > 0) {
    const trust = { certificates, owner: shown(issuer) };
    const { xml, sender } = receivedMessage('SAMLRequest', delivery, trust);
    const request = readSigned(xml, sender);
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

const unsigned = (issuer: string, name: string) =>
  new SamlRefusal({
    check: 'signature',
    problem: `${shown(issuer)} must sign its requests, and this one is not signed`,
    expected: `a signed ${name}`,
    received: 'no signature',
    error: 'signature_validation_failed',
  });
