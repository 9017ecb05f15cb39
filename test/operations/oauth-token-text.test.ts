import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64UrlBytes } from '@understudy/text/base64url';
import { boot } from '../support/boot.ts';
import { OWN, tokensOf } from './oauth-support.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same bytes with another last character: 256 bytes of a signature leave four bits of it unused. */
const withUnusedBits = (token: string) => token.slice(0, -1) + ALPHABET[ALPHABET.indexOf(token.at(-1)!) + 1]!;

const VARIANTS: [string, (token: string) => string][] = [
  ['an equals sign at the end', (token) => `${token}=`],
  ['two of them', (token) => `${token}==`],
  ['padding after the payload', (token) => token.replace(/\.(?=[^.]*$)/, '=.')],
  ['padding after the header', (token) => token.replace('.', '=.')],
  ['a character outside of base64url', (token) => `${token}!`],
  ['unused bits of its signature', withUnusedBits],
];

describe('another text of the bytes of a token', () => {
  it.each(VARIANTS)('is no token: %s', async (_, vary) => {
    const booted = await boot();
    const { access_token } = await tokensOf(booted);
    const introspect = async (token: string) => {
      const call = booted.anonymous.post('/oauth/introspect').type('form');
      return (await call.send({ token, ...OWN }).expect(200)).body;
    };
    expect(await introspect(access_token)).toMatchObject({ active: true });

    expect(await introspect(vary(access_token))).toEqual({ active: false });

    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    await booted.anonymous
      .get('/userinfo')
      .set(bearer(vary(access_token)))
      .expect(401);
    await booted.anonymous
      .get('/api/v1/organizations')
      .set(bearer(vary(booted.token)))
      .expect(401);
  });

  it('is not read for any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, fc.constantFrom('=', '==', '!', ' ', '\n', '+', '/'), (all, end) => {
        const text = Buffer.from(all).toString('base64url');
        expect(base64UrlBytes(text)).toEqual(Buffer.from(all));
        expect(base64UrlBytes(text + end)).toBeUndefined();
      }),
    );
  });
});
