import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const open = async (config = {}) => supertest((await boot(config)).understudy.app);

describe('the dashboard', () => {
  it('is a page that may run and call nothing but its own origin', async () => {
    const service = await open();

    const { headers, text } = await service.get('/_control/').expect(200).expect('content-type', /html/);

    expect(text).toContain('<div id="app">');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is found without the slash, too', async () => {
    await (await open()).get('/_control').expect(308).expect('location', '/_control/');
  });

  it('has files that a browser may keep, for their names change with them', async () => {
    const service = await open();
    const { text } = await service.get('/_control/').expect(200);
    const files = Array.from(text.matchAll(/"(\/_control\/assets\/[^"]+)"/g), ([, file = '']) => file);

    expect(files).toHaveLength(2);
    for (const file of files)
      await service.get(file).expect(200).expect('cache-control', 'public, max-age=31536000, immutable');
  });

  it('has no other files', async () => {
    const service = await open();

    await service.get('/_control/assets/main.js').expect(404);
    await service.get('/_control/assets/%2e%2e/index.html').expect(404);
    await service.get('/_control/assets/..%2f..%2fpackage.json').expect(404);
  });

  it('needs no token itself, and shows itself to no page of another site', async () => {
    const service = await open({ controlToken: 'sesame' });

    await service.get('/_control/').expect(200);
    await service
      .get('/_control/')
      .set({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
      .expect(403);
  });
});
