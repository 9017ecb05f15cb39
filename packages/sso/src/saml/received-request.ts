import type { Env, Rows } from '@understudy/core/state/env';
import {
  readAuthnRequest,
  readForeignLogoutRequest,
  readLogoutRequest,
  readSignedAuthnRequest,
  type ReadAuthnRequest,
  type ReadLogoutRequest,
  type Sender,
} from '@understudy/saml/message-reading';
import { SamlRefusal, shown } from '@understudy/saml/refusal';
import { serviceProviderOf } from './service-providers.ts';
import { readPosted, readRedirected, type MessageName } from '@understudy/saml/bindings';
import { isQuerySigned } from '@understudy/saml/signature';
import type { Trust } from '@understudy/saml/verification';

type Parameter = MessageName | 'RelayState' | 'SigAlg' | 'Signature';
type SentMessage = Readonly<Partial<Record<Parameter, string | undefined>>>;

interface Delivery {
  query: SentMessage;
  /** Absent: the message came by the redirect binding. */
  body?: SentMessage | undefined;
}

/** The XML of a message of either binding. */
const messageText = (name: MessageName, { query, body }: Delivery): string =>
  body ? readPosted(name, body[name]) : readRedirected(name, query[name]);

/** The XML of a message that came by redirect or by a form, and what is known of its sender. */
export function receivedMessage(name: MessageName, { query, body }: Delivery, trust: Trust) {
  const xml = messageText(name, { query, body });
  const sender: Sender = { ...trust, isSigned: !body && isRedirectSigned(name, query, trust) };
  return { xml, sender };
}

function isRedirectSigned(message: MessageName, sent: SentMessage, { certificates }: Trust): boolean {
  const parts = ([message, 'RelayState', 'SigAlg', 'Signature'] as const).flatMap((name) => {
    const value = sent[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const query = parts.join('&');
  // Some providers sign escapes in lower case.
  const lower = query.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [query, lower].some((each) => isQuerySigned(each, message, certificates));
}

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
