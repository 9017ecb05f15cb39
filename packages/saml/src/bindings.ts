import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { base64Bytes } from './base64.ts';
import { LARGEST_MESSAGE } from './limits.ts';
import { SamlRefusal } from './refusal.ts';
import { signedQuery } from './signature.ts';
import type { KeyPair } from './development-keys.ts';

export type MessageName = 'SAMLRequest' | 'SAMLResponse';

interface RedirectedMessage {
  name: MessageName;
  xml: string;
  relayState?: string | undefined;
  /** Absent: the query is not signed. */
  key?: KeyPair | undefined;
}

/** The address that brings a message by the redirect binding (SAML bindings 3.4). */
export function redirectAddress(address: string, { name, xml, relayState, key }: RedirectedMessage): string {
  const message = deflateRawSync(Buffer.from(xml)).toString('base64');
  const relay = relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`;
  const query = `${name}=${encodeURIComponent(message)}${relay}`;
  const whole = key ? signedQuery(query, key.privateKey) : query;
  return `${address}${address.includes('?') ? '&' : '?'}${whole}`;
}

/** The value of a form that brings a message by the POST binding (SAML bindings 3.5). */
export const postedMessage = (xml: string): string => Buffer.from(xml).toString('base64');

/** The bytes of a posted message. */
export function readPosted(name: MessageName, value: string | undefined): string {
  return readUtf8(name, readBase64(name, value));
}

/** The text of a message of the redirect binding. A small message that unpacks to a large one is refused. */
export function readRedirected(name: MessageName, value: string | undefined): string {
  const packed = readBase64(name, value);
  try {
    return readUtf8(name, inflateRawSync(packed, { maxOutputLength: LARGEST_MESSAGE }));
  } catch (thrown) {
    if (thrown instanceof SamlRefusal) throw thrown;
    throw new SamlRefusal({
      check: 'form',
      problem: `${name} cannot be unpacked`,
      expected: `DEFLATE data of at most ${LARGEST_MESSAGE} bytes of XML`,
      received: `${packed.length} bytes that cannot be unpacked within this limit`,
      error: 'invalid_saml_form_params',
    });
  }
}

function readBase64(name: MessageName, value: string | undefined): Buffer {
  const bytes = value ? base64Bytes(value) : undefined;
  if (!bytes)
    throw new SamlRefusal({
      check: 'form',
      problem: value ? `${name} is not Base64` : `${name} is missing`,
      expected: `${name} in Base64`,
      received: value ?? '',
      error: 'invalid_saml_form_params',
    });
  return bytes;
}

function readUtf8(name: MessageName, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlRefusal({
      check: 'form',
      problem: `${name} is not text in UTF-8`,
      expected: 'XML in UTF-8',
      received: `${bytes.length} other bytes`,
      error: 'invalid_saml_form_params',
    });
  }
}
