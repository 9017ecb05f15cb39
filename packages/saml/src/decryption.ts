import { constants, createDecipheriv, privateDecrypt, type KeyObject } from 'node:crypto';
import { base64Bytes } from './base64.ts';
import { NAMESPACES } from './names.ts';
import { allElements, attributeOf, childOf, isNamed, textOf } from './reading.ts';
import { SamlRefusal } from './refusal.ts';

const refuse = (problem: string, expected: string, received: string) =>
  new SamlRefusal({ check: 'encryption', problem, expected, received, error: 'invalid_saml_response' });

/** Ciphers by their name in XML encryption. 3DES is old, but the default of one well-known library. */
const CIPHERS: Readonly<Record<string, Cipher>> = {
  ...gcm(128),
  ...gcm(256),
  ...cbc(128),
  ...cbc(256),
  [`${NAMESPACES.xenc}tripledes-cbc`]: { name: 'des-ede3-cbc', key: 24, vector: 8, tag: 0 },
};

interface Cipher {
  name: string;
  /** Bytes. */
  key: number;
  vector: number;
  tag: number;
}

function gcm(bits: number): Record<string, Cipher> {
  const name = `http://www.w3.org/2009/xmlenc11#aes${bits}-gcm`;
  return { [name]: { name: `aes-${bits}-gcm`, key: bits / 8, vector: 12, tag: 16 } };
}

function cbc(bits: number): Record<string, Cipher> {
  const name = `${NAMESPACES.xenc}aes${bits}-cbc`;
  return { [name]: { name: `aes-${bits}-cbc`, key: bits / 8, vector: 16, tag: 0 } };
}

/** The XML in an `EncryptedAssertion`. */
export function decrypted(found: Element, privateKey: KeyObject): string {
  const data = childOf(found, 'xenc', 'EncryptedData');
  if (!data) throw refuse('EncryptedAssertion is empty', 'EncryptedData', '');
  const method = methodOf(data);
  const cipher = Object.hasOwn(CIPHERS, method) ? CIPHERS[method] : undefined;
  if (!cipher) throw refuse('the cipher is not accepted', Object.keys(CIPHERS).join(' or '), method);
  const key = unwrapKey(found, privateKey);
  try {
    return decipher(cipher, key, cipherValue(data));
  } catch (thrown) {
    if (thrown instanceof SamlRefusal) throw thrown;
    throw refuse(
      'the assertion cannot be decrypted',
      `${cipher.name} with the key of the service`,
      'other data',
    );
  }
}

const methodOf = (parent: Element): string => {
  const method = childOf(parent, 'xenc', 'EncryptionMethod');
  return (method && attributeOf(method, 'Algorithm')) ?? '';
};

function cipherValue(parent: Element): Buffer {
  const data = childOf(parent, 'xenc', 'CipherData');
  const value = data && childOf(data, 'xenc', 'CipherValue');
  if (!value) throw refuse(`${parent.localName} has no CipherValue`, 'CipherValue', '');
  const bytes = base64Bytes(textOf(value));
  if (!bytes)
    throw refuse(`CipherValue of ${parent.localName} is not Base64`, 'CipherValue in Base64', textOf(value));
  return bytes;
}

const OAEP = `${NAMESPACES.xenc}rsa-oaep-mgf1p`;

function unwrapKey(found: Element, key: KeyObject): Buffer {
  // Beside the data or inside of its KeyInfo: providers do both.
  const wrapped = [...allElements(found)].filter((each) => isNamed(each, 'xenc', 'EncryptedKey'));
  const [only] = wrapped;
  if (!only || wrapped.length > 1)
    throw refuse('the key of the assertion is missing', 'one EncryptedKey', String(wrapped.length));
  if (methodOf(only) !== OAEP)
    throw refuse('the encryption of the key is not accepted', OAEP, methodOf(only));
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return privateDecrypt({ key, padding, oaepHash: 'sha1' }, cipherValue(only));
  } catch (thrown) {
    if (thrown instanceof SamlRefusal) throw thrown;
    throw refuse(
      'the key of the assertion cannot be decrypted',
      'a key for the certificate of the service',
      'another key',
    );
  }
}

function decipher({ name, key: length, vector, tag }: Cipher, key: Buffer, bytes: Buffer): string {
  if (key.length !== length || bytes.length <= vector + tag)
    throw refuse('the assertion cannot be decrypted', `a key of ${length} bytes`, `${key.length} bytes`);
  const [start, end] = [bytes.subarray(0, vector), bytes.length - tag];
  const open = createDecipheriv(name, key, start);
  if (tag > 0)
    (open as ReturnType<typeof createDecipheriv> & { setAuthTag(tag: Buffer): void }).setAuthTag(
      bytes.subarray(end),
    );
  else open.setAutoPadding(false);
  const text = Buffer.concat([open.update(bytes.subarray(vector, end)), open.final()]);
  // XML encryption pads with any bytes before the last one, which says how many (XML encryption 5.2).
  return (tag > 0 ? text : text.subarray(0, text.length - (text.at(-1) ?? 0))).toString();
}
