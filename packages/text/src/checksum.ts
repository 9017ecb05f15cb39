import * as zlib from 'node:zlib';

type Crc32 = (data: string | Uint8Array, before?: number) => number;

/** CRC-32 as zlib has it, continued from `before`. Node has had it since 20.15 and 22.2. */
export const crc32: Crc32 = 'crc32' in zlib ? zlib.crc32 : slowCrc32;

/** Eight hexadecimal digits. */
export const checksumText = (crc: number): string => crc.toString(16).padStart(8, '0');

/** The last member of an object in one line. */
const MEMBER = /^,"crc32":"([0-9a-f]{8})"\}$/;
const MEMBER_LENGTH = ',"crc32":"00000000"}'.length;

/** Adds a checksum to the text of a JSON object, as its last member. */
export const withChecksum = (object: string): string =>
  `${object.slice(0, -1)},"crc32":"${checksumText(crc32(object))}"}`;

/** Compares the text of a JSON object with the checksum that `withChecksum` added. Earlier versions of Understudy added none. */
export function checksumOf(object: Buffer): 'missing' | 'right' | 'wrong' {
  const end = Math.max(0, object.length - MEMBER_LENGTH);
  const [, checksum] = MEMBER.exec(object.toString('latin1', end)) ?? [];
  if (checksum === undefined) return 'missing';
  return checksumText(crc32('}', crc32(object.subarray(0, end)))) === checksum ? 'right' : 'wrong';
}

/** Does the same as `zlib.crc32`, for versions of Node that do not have it. */
export function slowCrc32(data: string | Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of typeof data === 'string' ? Buffer.from(data) : data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  }
  return ~crc >>> 0;
}
