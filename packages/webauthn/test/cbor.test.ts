import { describe, expect, it } from 'vitest';
import { readCbor, readCborMap, writeCbor, type CborValue } from '../src/cbor.ts';

const read = (hex: string) => readCbor(Buffer.from(hex, 'hex'), 'it').value;

describe('readCbor', () => {
  // Examples of RFC 8949, appendix A.
  it.each<[string, CborValue]>([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['20', -1],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['4401020304', Buffer.from([1, 2, 3, 4])],
    ['6449455446', 'IETF'],
    ['62c3bc', 'ü'],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    [
      'a26161016162820203',
      new Map<string, CborValue>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
  ])('reads %s, and writes it', (hex, value) => {
    expect(read(hex)).toEqual(value);
    expect(writeCbor(value).toString('hex')).toBe(hex);
  });

  it.each([
    ['', 'it ends too early: 1 bytes are wanted, 0 are left'],
    ['4401', 'it ends too early: 4 bytes are wanted, 1 are left'],
    ['5b0010000000000000', 'it ends too early: 4503599627370496 bytes are wanted, 0 are left'],
    ['9b0010000000000000', 'it ends too early: 1 bytes are wanted, 0 are left'],
    ['1817', 'it has a length or a number that is not in its shortest form'],
    ['1900ff', 'it has a length or a number that is not in its shortest form'],
    ['1bffffffffffffffff', 'it has a number that is too large'],
    ['5fff', 'it has an indefinite or unknown length'],
    ['c001', 'it has a tag, which authenticators do not send'],
    ['f93c00', 'it has a floating-point number or an unknown simple value'],
    ['61ff', 'it has a text that is not UTF-8'],
    ['a201020103', 'it has a map with two values for 1'],
    ['a1f501', 'it has a map whose key is neither a number nor a text'],
    ['81'.repeat(9) + '00', 'it nests more than 8 levels'],
    [`990300${'00'.repeat(768)}`, 'it has more than 512 values'],
  ])('refuses %.20s', (hex, message) => {
    expect(() => read(hex)).toThrow(message);
  });

  it('refuses a million levels and a million values at once', () => {
    for (const byte of [0x81, 0xa1])
      expect(() => readCbor(Buffer.alloc(1_000_000, byte), 'it')).toThrow('it ');
    expect(() => readCborMap(Buffer.from('ba000f4240', 'hex'), 'it')).toThrow('it ends too early');
  });
});
