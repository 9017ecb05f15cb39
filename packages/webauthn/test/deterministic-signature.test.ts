import { createPublicKey, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { privateKeyOf } from '../src/authenticator.ts';
import { signP256 } from '../src/deterministic-signature.ts';

const KEY = Buffer.from('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721', 'hex');

// RFC 6979, A.2.5.
it.each([
  [
    'sample',
    'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
    'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
  ],
  [
    'test',
    'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367',
    '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
  ],
])('signs "%s" as RFC 6979 does', (text, r, s) => {
  const signature = signP256(KEY, Buffer.from(text)).toString('hex');

  expect(signature).toContain(r);
  expect(signature).toContain(s.replace(/^(00)+/, ''));
});

it('signs what Node verifies, 200 times, and the same each time', () => {
  for (let round = 0; round < 200; round += 1) {
    const key = privateKeyOf('ES256', Buffer.alloc(32, round + 1));
    const d = Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
    const data = Buffer.from(`round ${round}`);
    const signature = signP256(d, data);
    expect(verify('sha256', data, createPublicKey(key), signature)).toBe(true);
    expect(signP256(d, data)).toEqual(signature);
  }
});
