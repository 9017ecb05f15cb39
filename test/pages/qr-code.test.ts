import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { qrCode, qrModules } from '../../src/pages/qr-code.ts';

const ADDRESS =
  'otpauth://totp/Scalekit:ada%40acme.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Scalekit';

const digestOf = (text: string) =>
  createHash('sha256')
    .update(JSON.stringify(qrModules(text)))
    .digest('hex')
    .slice(0, 16);

// `npm run test:doors` lets a decoder of others read codes of all sizes.
describe('a QR code', () => {
  it.each([
    ['x', 21, 'ad1c4b22644017f5'],
    [ADDRESS, 41, 'c9be4dece3b5e2c1'],
    [`${ADDRESS}&${'é'.repeat(200)}`, 85, '8f2b44028c612ebf'],
  ])('is what a decoder of others has read: %s', (text, size, digest) => {
    expect(qrModules(text)).toHaveLength(size);
    expect(digestOf(text)).toBe(digest);
  });

  it('is as small as the text allows, and there is none for a text that nobody could scan', () => {
    expect([14, 15].map((length) => qrModules('x'.repeat(length))?.length)).toEqual([21, 25]);
    expect(qrModules('x'.repeat(800))).toBeUndefined();
    expect(qrCode('x'.repeat(800), 'nothing')).toBeUndefined();
  });

  it('has a name for people who do not see it, and a light margin', () => {
    const svg = String(qrCode('x', 'a <name>'));

    expect(svg).toContain('aria-label="a &lt;name&gt;"');
    expect(svg).toContain('viewBox="0 0 29 29"');
    expect(svg).toContain('d="M4 4h1v1h-1z');
  });
});
