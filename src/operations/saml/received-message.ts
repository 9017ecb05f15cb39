import { readPosted, readRedirected, type MessageName } from '../../saml/bindings.ts';
import type { Sender } from '../../saml/message-reading.ts';
import { isQuerySigned } from '../../saml/signature.ts';
import type { Trust } from '../../saml/verification.ts';

type Parameter = MessageName | 'RelayState' | 'SigAlg' | 'Signature';
type SentMessage = Readonly<Partial<Record<Parameter, string | undefined>>>;

export interface Delivery {
  query: SentMessage;
  /** Absent: the message came by the redirect binding. */
  body?: SentMessage | undefined;
}

/** The XML of a message of either binding. */
export const messageText = (name: MessageName, { query, body }: Delivery): string =>
  body ? readPosted(name, body[name]) : readRedirected(name, query[name]);

/** A message of either binding, and who may have sent it. */
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
