import { createECDH, createHmac } from 'node:crypto';
import { sha256 } from './authenticator-data.ts';

/** The order of the curve P-256 (FIPS 186-4 D.1.2.3). */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * An ECDSA signature over P-256 and SHA-256 whose nonce comes from key and data (RFC 6979), as DER. Node's own signatures
 * differ each time, and the same calls to an environment must give the same answers.
 */
export function signP256(privateKey: Buffer, data: Buffer): Buffer {
  const d = numberIn(privateKey);
  const z = numberIn(sha256(data)) % P256_ORDER;
  for (const nonce of nonces(privateKey, octets(z))) {
    const r = numberIn(pointOf(nonce).x) % P256_ORDER;
    const s = (inverse(numberIn(nonce)) * (z + r * d)) % P256_ORDER;
    if (r > 0n && s > 0n) return der(r, s);
  }
  throw new Error('unreachable: there are always more nonces');
}

/** The public point of a private key. */
export function pointOf(privateKey: Buffer): { x: Buffer; y: Buffer } {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(privateKey);
  const point = curve.getPublicKey(); // a byte for the form, then x and y
  return { x: point.subarray(1, 33), y: point.subarray(33) };
}

/** RFC 6979 3.2. */
function* nonces(privateKey: Buffer, hash: Buffer): Generator<Buffer> {
  let k: Buffer = Buffer.alloc(32, 0);
  let v: Buffer = Buffer.alloc(32, 1);
  const mac = (...parts: Buffer[]) => createHmac('sha256', k).update(Buffer.concat(parts)).digest();
  for (const step of [0, 1]) {
    k = mac(v, Buffer.from([step]), privateKey, hash);
    v = mac(v);
  }
  for (;;) {
    v = mac(v);
    const number = numberIn(v);
    if (number > 0n && number < P256_ORDER) yield v;
    k = mac(v, Buffer.from([0]));
    v = mac(v);
  }
}

/** By Fermat's little theorem, because the order is a prime number. */
function inverse(number: bigint): bigint {
  let [result, base] = [1n, number % P256_ORDER];
  for (let exponent = P256_ORDER - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % P256_ORDER;
    base = (base * base) % P256_ORDER;
  }
  return result;
}

function der(r: bigint, s: bigint): Buffer {
  const content = Buffer.concat([r, s].map(derInteger));
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

/** Without leading zeros, but with one before a byte that would look like a sign. */
function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const content = bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, content.length]), content]);
}

const numberIn = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

/** 32 bytes. */
export const octets = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
