import { createHmac } from 'node:crypto';

/** How long a code is shown, in milliseconds (RFC 6238 4.1). */
export const PERIOD = 30_000;

/** The period of 30 seconds, counted from 1970. */
export const periodAt = (milliseconds: number): number => Math.floor(milliseconds / PERIOD);

/** The six digits of a period (RFC 6238, with the HMAC of RFC 4226 5.3). */
export function codeOf(secret: string, period: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(period));
  const mac = createHmac('sha1', bytesIn(secret)).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** In base32 without padding (RFC 4648 6). */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function bytesIn(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}
