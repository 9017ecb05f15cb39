import { constants, createCipheriv, createHash, createPublicKey, publicEncrypt } from 'node:crypto';
import { NAMESPACES } from './names.ts';
import { element, xmlText, type XmlElement } from './xml.ts';

/** Bytes that look random. Those of the simulator come from the environment's seed. */
export type DrawBytes = (length: number) => Buffer;

interface Encryption {
  /** Of the receiver, as PEM. */
  certificate: string;
  draw: DrawBytes;
}

/** An assertion that only the receiver can read: AES-256-GCM, with its key in RSA-OAEP. */
export function encrypted(assertion: XmlElement, { certificate, draw }: Encryption): XmlElement {
  const [key, vector] = [draw(32), draw(12)];
  const cipher = createCipheriv('aes-256-gcm', key, vector);
  const parts = [vector, cipher.update(xmlText(assertion)), cipher.final(), cipher.getAuthTag()];
  return element(
    'saml:EncryptedAssertion',
    {},
    element(
      'xenc:EncryptedData',
      { Type: `${NAMESPACES.xenc}Element` },
      element('xenc:EncryptionMethod', { Algorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm' }),
      element('ds:KeyInfo', {}, encryptedKey(wrapKey(key, certificate, draw))),
      cipherData(Buffer.concat(parts)),
    ),
  );
}

const encryptedKey = (wrapped: Buffer): XmlElement =>
  element(
    'xenc:EncryptedKey',
    {},
    element(
      'xenc:EncryptionMethod',
      { Algorithm: `${NAMESPACES.xenc}rsa-oaep-mgf1p` },
      element('ds:DigestMethod', { Algorithm: `${NAMESPACES.ds}sha1` }),
    ),
    cipherData(wrapped),
  );

const cipherData = (bytes: Buffer): XmlElement =>
  element('xenc:CipherData', {}, element('xenc:CipherValue', {}, bytes.toString('base64')));

const HASH_LENGTH = 20;
const sha1 = (...parts: Buffer[]) => createHash('sha1').update(Buffer.concat(parts)).digest();

/**
 * RSA-OAEP (RFC 8017 7.1.1) with a seed that is drawn: OpenSSL would pad with chance of its own, and the same calls to an
 * environment must give the same answers.
 */
function wrapKey(key: Buffer, certificate: string, draw: DrawBytes): Buffer {
  const publicKey = createPublicKey(certificate);
  const size = (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const seed = draw(HASH_LENGTH);
  const padding = Buffer.alloc(size - key.length - 2 * HASH_LENGTH - 2);
  const block = Buffer.concat([sha1(), padding, Buffer.from([1]), key]);
  const masked = xor(block, mask(seed, block.length));
  const message = Buffer.concat([Buffer.from([0]), xor(seed, mask(masked, HASH_LENGTH)), masked]);
  return publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, message);
}

/** MGF1 (RFC 8017 B.2.1). */
function mask(seed: Buffer, length: number): Buffer {
  const counters = Array.from({ length: Math.ceil(length / HASH_LENGTH) }, (_, index) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(index);
    return sha1(seed, counter);
  });
  return Buffer.concat(counters).subarray(0, length);
}

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, index) => byte ^ b[index]!));
