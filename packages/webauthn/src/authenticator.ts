import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { FLAG, sha256 } from './authenticator-data.ts';
import { writeCbor, type CborValue } from './cbor.ts';
import type { AssertionResponse, RegistrationResponse } from './ceremony.ts';
import { ALGORITHMS, type Algorithm } from './cose.ts';
import { octets, P256_ORDER, pointOf, signP256 } from './deterministic-signature.ts';

/** The algorithms whose keys can be made of 32 bytes. */
export type SoftwareAlgorithm = Exclude<keyof typeof ALGORITHMS, 'RS256'>;

/** The private key of 32 bytes: the same bytes give the same key. */
export function privateKeyOf(algorithm: SoftwareAlgorithm, bytes: Buffer): KeyObject {
  if (algorithm === 'EdDSA') {
    const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]); // RFC 8410 7
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }
  const d = octets((BigInt(`0x${bytes.toString('hex')}`) % (P256_ORDER - 1n)) + 1n);
  const { x, y } = pointOf(d);
  const [jwkX, jwkY, jwkD] = [x, y, d].map((part) => part.toString('base64url')) as [string, string, string];
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x: jwkX, y: jwkY, d: jwkD }, format: 'jwk' });
}

/** The public key as a COSE key. */
export function coseKeyOf(privateKey: KeyObject): Buffer {
  const { kty, x, y, n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  const parts: Record<string, [number, CborValue][]> = {
    EC: [
      [1, 2],
      [3, ALGORITHMS.ES256],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    OKP: [
      [1, 1],
      [3, ALGORITHMS.EdDSA],
      [-1, 6],
      [-2, bytes(x)],
    ],
    RSA: [
      [1, 3],
      [3, ALGORITHMS.RS256],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return writeCbor(new Map(parts[kty!]));
}

function algorithmOf(privateKey: KeyObject): Algorithm {
  const { kty } = createPublicKey(privateKey).export({ format: 'jwk' });
  return kty === 'EC' ? ALGORITHMS.ES256 : kty === 'OKP' ? ALGORITHMS.EdDSA : ALGORITHMS.RS256;
}

/** A passkey in a software authenticator, and what it says about itself. */
export interface SoftwarePasskey {
  credentialId: Buffer;
  privateKey: KeyObject;
  rpId: string;
  signCount: number;
  userPresent: boolean;
  userVerified: boolean;
}

/** What a browser adds. */
export interface BrowserContext {
  /** In base64url. */
  challenge: string;
  origin: string;
}

/** Answers creation options. The attestation `packed` is signed by the passkey's own key. */
export function register(
  passkey: SoftwarePasskey,
  browser: BrowserContext,
  format: 'none' | 'packed' = 'none',
): RegistrationResponse {
  const { credentialId, privateKey } = passkey;
  const clientData = clientDataOf('webauthn.create', browser);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  const attested = [Buffer.alloc(16), length, credentialId, coseKeyOf(privateKey)]; // no AAGUID: software has no model
  const authData = authenticatorDataOf(passkey, FLAG.at, attested);
  const statement: [string, CborValue][] =
    format === 'none'
      ? []
      : [
          ['alg', algorithmOf(privateKey)],
          ['sig', signed(privateKey, Buffer.concat([authData, sha256(clientData)]))],
        ];
  const attestationObject = writeCbor(
    new Map<string, CborValue>([
      ['fmt', format],
      ['attStmt', new Map(statement)],
      ['authData', authData],
    ]),
  );
  return { credentialId, attestationObject, clientData };
}

/** Answers request options. */
export function assert(passkey: SoftwarePasskey, browser: BrowserContext): AssertionResponse {
  const clientData = clientDataOf('webauthn.get', browser);
  const authenticatorData = authenticatorDataOf(passkey, 0, []);
  const signature = signed(passkey.privateKey, Buffer.concat([authenticatorData, sha256(clientData)]));
  return { authenticatorData, clientData, signature };
}

const clientDataOf = (type: string, { challenge, origin }: BrowserContext) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authenticatorDataOf(
  { rpId, signCount, userPresent, userVerified }: SoftwarePasskey,
  flags: number,
  rest: Buffer[],
): Buffer {
  const fixed = Buffer.alloc(5);
  fixed[0] = flags | (userPresent ? FLAG.up : 0) | (userVerified ? FLAG.uv : 0);
  fixed.writeUInt32BE(signCount, 1);
  return Buffer.concat([sha256(rpId), fixed, ...rest]);
}

function signed(privateKey: KeyObject, data: Buffer): Buffer {
  const algorithm = algorithmOf(privateKey);
  if (algorithm !== ALGORITHMS.ES256)
    return sign(algorithm === ALGORITHMS.EdDSA ? null : 'sha256', data, privateKey);
  const { d } = privateKey.export({ format: 'jwk' });
  return signP256(Buffer.from(d!, 'base64url'), data);
}
