import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { boot } from '../../../test/support/boot.ts';

const open = async (config = {}) => supertest((await boot(config)).understudy.app);

describe('the dashboard', () => {
  it('is a page that may load from and call only its own origin', async () => {
    const service = await open();

    const { headers, text } = await service.get('/_control/').expect(200).expect('content-type', /html/);

    expect(text).toContain('<div id="app">');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('redirects from the path without the slash', async () => {
    await (await open()).get('/_control').expect(308).expect('location', '/_control/');
  });

  it('has assets that a browser may cache, because their names change with their content', async () => {
    const service = await open();
    const { text } = await service.get('/_control/').expect(200);
    const files = Array.from(text.matchAll(/"(assets\/[^"]+)"/g), ([, file = '']) => `/_control/${file}`);

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

  it('serves the docs at paths without an extension', async () => {
    const service = await open({ controlToken: 'sesame' });

    await service.get('/_control/docs').expect(308).expect('location', '/_control/docs/');
    const { headers, text } = await service
      .get('/_control/docs/time')
      .expect(200)
      .expect('content-type', /html/);

    expect(text).toContain('<h1 id="time">');
    expect(text).not.toMatch(/ style=|<style|<script>/);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    await service.get('/_control/docs/nothing').expect(404);
    await service.get('/_control/docs/..%2findex.html').expect(404);
  });

  it('redirects from the former page of the API reference, with what it was asked for', async () => {
    const service = await open({ controlToken: 'sesame' });

    await service
      .get('/_control/reference?environment=blue&document=control')
      .expect(302)
      .expect('location', '/_control/?reference&environment=blue&document=control');
    await service.get('/_control/reference').expect(302).expect('location', '/_control/?reference&');
  });

  it('serves the contract in pieces that pages can load one by one', async () => {
    const service = await open({ controlToken: 'sesame' });
    const piece = async (path: string) =>
      (await service.get(`/_control/reference/${path}.json`).expect(200)).body;

    const { operations, tags } = await piece('index');
    const { paths } = (await service.get('/openapi.json').expect(200)).body as {
      paths: Record<string, object>;
    };
    const found = operations.find(({ id }: { id: string }) => id === 'UserService_CreateUserAndMembership');
    expect(found).toMatchObject({ document: 'service', method: 'POST', tag: 'Users' });
    expect(paths[found.path]).toBeDefined();
    expect(found.words).toMatch(/\bsend_invitation_email\b.*\binvites\b/);
    expect(tags['Users']).toBe('The people of the environment.');

    const operation = await piece('operations/UserService_CreateUserAndMembership');
    expect(operation.sdk).toEqual({
      rpc: 'scalekit.v1.users.UserService/CreateUserAndMembership',
      node: 'user.createUserAndMembership(organizationId, options)',
      python: 'users.create_user_and_membership(organization_id, user, send_invitation_email?)',
    });
    expect(JSON.stringify(operation.responses)).not.toContain('#/components/responses');
    const references = JSON.stringify(operation).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    for (const [, name = ''] of references) expect(operation.schemas).toHaveProperty(name);
    expect(operation.schemas).toHaveProperty('CreateUser');

    const clock = await piece('operations/Control_GetClock');
    expect(clock.addresses.map(({ path }: { path: string }) => path)).toEqual([
      '/_control/v1/clock',
      '/_control/v1/environments/{environment}/clock',
    ]);
    expect((await piece('schemas/service/Organization')).schemas).toHaveProperty('Organization');
    for (const missing of ['operations/None', 'schemas/service/None', 'schemas/other/Organization'])
      await service.get(`/_control/reference/${missing}.json`).expect(404);
    await service.get('/_control/reference/schemas/service/__proto__.json').expect(404);
  });

  it('needs no token, and is refused to pages of another site', async () => {
    const service = await open({ controlToken: 'sesame' });

    await service.get('/_control/').expect(200);
    await service
      .get('/_control/')
      .set({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
      .expect(403);
  });

  it('redirects sign-in callbacks to the environment in the path', async () => {
    const service = await open();

    const { headers } = await service
      .get('/_control/sign-in/worker-1/callback?code=a.b&state=c%2Fd')
      .expect(302);
    await service
      .get('/_control/sign-in/worker-1/initiate')
      .expect(302)
      .expect('location', /#\/worker-1\/initiated\/$/);
    await service.get('/_control/sign-in/worker-1/constructor').expect(404);

    expect(headers['location']).toBe('/_control/#/worker-1/signed-in/code%3Da.b%26state%3Dc%252Fd');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });
});
