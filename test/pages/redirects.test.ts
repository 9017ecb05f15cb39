import { describe, expect, it } from 'vitest';
import { authorizeUrl, CALLBACK, PORTAL, PORTAL_CALLBACK } from '../operations/oauth-support.ts';
import { boot } from '../support/boot.ts';

/** Addresses that resemble the registered https://app.example.com/callback. */
const NOT_REGISTERED = [
  'https://evil.example/callback',
  'https://app.example.com.evil.example/callback',
  'https://app.example.com@evil.example/callback',
  'https://evil.example#@app.example.com/callback',
  'https://evil.example\\@app.example.com/callback',
  'https://app.example.com./callback',
  'https://APP.example.com/callback',
  'https://app.example.com:444/callback',
  'http://app.example.com/callback',
  '//app.example.com/callback',
  'https:app.example.com/callback',
  'https://app.example.com/Callback',
  'https://app.example.com/callback/',
  'https://app.example.com/callback/../../evil',
  'https://app.example.com/x/../callback',
  'https://app.example.com/%63allback',
  'https://app.example.com/callback%2f..%2fevil',
  'https://app.example.com/callback?next=https://evil.example',
  'https://app.example.com/callback#fragment',
  ' https://app.example.com/callback',
  'https://app.example.com/callback\r\nset-cookie: a=b',
  'javascript:alert(1)//https://app.example.com/callback',
  'data:text/html,<script>alert(1)</script>',
];

/** Addresses that resemble localhost, for a client that accepts any address on localhost. */
const NOT_HERE = [
  'http://localhost.evil.example/callback',
  'http://localhost@evil.example/callback',
  'http://localhost:3000@evil.example/callback',
  'http://evil.example/#localhost/',
  'http://evil.example\\.localhost/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://localhost\\@evil.example/callback',
  'http://localhost/callback\r\nset-cookie: a=b',
  'javascript://localhost/%0aalert(1)',
  'http://localhost:3000/callback#fragment',
];

describe('the authorization endpoint', () => {
  it.each(NOT_REGISTERED)('does not redirect to %j', async (redirect_uri) => {
    await expectPage({ client_id: PORTAL.client_id, redirect_uri });
  });

  it.each(NOT_HERE)(
    'does not redirect to %j for a client without registered addresses',
    async (redirect_uri) => {
      await expectPage({ redirect_uri });
    },
  );

  it('shows errors on a page when the redirect address is not verified', async () => {
    await expectPage({ redirect_uri: 'https://evil.example/', response_type: 'token' });
    await expectPage({ client_id: 'skc_9', redirect_uri: CALLBACK });
    await expectPage({ client_id: 'm2morg_10000000000000001', redirect_uri: CALLBACK });
  });

  it('refuses a repeated redirect_uri', async () => {
    const { anonymous } = await boot();
    const url = authorizeUrl({ client_id: PORTAL.client_id, redirect_uri: PORTAL_CALLBACK });

    const { status, headers } = await anonymous.get(`${url}&redirect_uri=https://evil.example/`);

    expect([status, headers['location']]).toEqual([400, undefined]);
  });
});

describe('the logout endpoint', () => {
  it.each(NOT_HERE.slice(0, 8))('does not redirect to %j', async (address) => {
    const { anonymous } = await boot();

    const { status, headers } = await anonymous
      .get('/oidc/logout')
      .query({ post_logout_redirect_uri: address });

    expect([status, headers['location']]).toEqual([400, undefined]);
  });
});

async function expectPage(parameters: Record<string, string>): Promise<void> {
  const { anonymous, control } = await boot();

  const { status, headers, text } = await anonymous.get(authorizeUrl({ state: 's1', ...parameters }));

  expect([status, headers['location'], headers['content-type']]).toEqual([
    400,
    undefined,
    'text/html; charset=utf-8',
  ]);
  expect(text).not.toMatch(/<script>alert|href="(javascript|https:\/\/evil)/);
  expect((await control.get('/state')).body.login_transactions ?? []).toEqual([]);
}
