import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { CLIENTS, createClient, WEB_APP } from '../support/clients.ts';
import { atProvider, patchRow } from '../support/sso.ts';
import { refusal } from '../support/violations.ts';
import { authorizeUrl, OWN } from './oauth-support.ts';
import { OKTA } from '../support/fixture-ids.ts';

const SCRIPT = 'javascript:alert(document.domain)//';

const wrong = (field: string, description: string) =>
  refusal({ field: `client.${field}`, description, constraint: 'string.uri' });

const script = (scheme: string) =>
  `value must not be a ${scheme} address: use https:, http: or a scheme of the application's own`;
const RELATIVE = 'value must be an absolute address such as https://app.example.com/callback';
const CONTROLS = 'value must not have line breaks or other control characters';
const HALF_LABEL = 'value must not have a placeholder that is only a part of a label';
const NO_WEB = 'value must be an http or https address';

describe('a registered address of a client', () => {
  it.each([
    [{ post_login_uris: ['https://a.example/', SCRIPT] }, 'post_login_uris[1]', script('javascript:')],
    [{ post_login_uris: ['DATA:text/html,x'] }, 'post_login_uris[0]', script('DATA:')],
    [{ post_login_uris: ['/callback'] }, 'post_login_uris[0]', RELATIVE],
    [{ post_login_uris: [` ${SCRIPT}`] }, 'post_login_uris[0]', RELATIVE],
    [{ post_login_uris: ['{{plan}}:alert(1)'] }, 'post_login_uris[0]', RELATIVE],
    [{ post_login_uris: ['https://app-{{slug}}.a.example/'] }, 'post_login_uris[0]', HALF_LABEL],
    [
      { post_logout_redirect_uris: ['https://{{slug}}app.a.example/'] },
      'post_logout_redirect_uris[0]',
      HALF_LABEL,
    ],
    [{ post_login_uris: ['https://a.example/\r\nset-cookie: a=b'] }, 'post_login_uris[0]', CONTROLS],
    [{ post_logout_redirect_uris: ['vbscript:x'] }, 'post_logout_redirect_uris[0]', script('vbscript:')],
    [{ initiate_login_uri: SCRIPT }, 'initiate_login_uri', NO_WEB],
    [{ initiate_login_uri: 'myapp://login' }, 'initiate_login_uri', NO_WEB],
    [{ initiate_login_uri: 'https://a.example/\nb' }, 'initiate_login_uri', CONTROLS],
    [{ back_channel_logout_uris: ['myapp://ended'] }, 'back_channel_logout_uris[0]', NO_WEB],
  ])('is refused when it is invalid: %j', async (wanted, field, description) => {
    const { api } = await boot();
    const { path } = await createClient(api);
    const before = (await api.get(path)).body;

    const created = await api.post(CLIENTS).send({ ...WEB_APP, ...wanted });
    const updated = await api.patch(path).send(wanted);

    for (const { status, body } of [created, updated])
      expect([status, body]).toEqual([400, wrong(field, description)]);
    expect((await api.get(path)).body).toEqual(before);
  });

  it('can have a custom scheme, a wildcard and placeholders of the organization', async () => {
    const { api } = await boot();
    const post_login_uris = [
      'myapp://callback',
      'com.example.phone:/callback',
      'https://*.preview.example.com/callback',
      'https://{{ slug }}.example.org/{{plan}}',
      'https://{{custom_domain}}:8443/{{slug}}-{{plan}}',
    ];

    const client = { ...WEB_APP, post_login_uris, post_logout_redirect_uris: ['myapp://bye'] };
    const { body } = await api.post(CLIENTS).send(client).expect(200);

    expect(body.client).toMatchObject(client);
  });

  it('cannot be a script in any spelling', async () => {
    const { api } = await boot();
    const junk = fc.array(fc.constantFrom('', ' ', '\t', '\n', '\0'), { minLength: 11, maxLength: 11 });
    const cased = fc.mixedCase(fc.constantFrom('javascript:', 'vbscript:x', 'data:text/,'));
    const address = fc
      .tuple(cased, junk)
      .map(([scheme, between]) => `${[...scheme].map((letter, i) => (between[i] ?? '') + letter).join('')}1`);

    await fc.assert(
      fc.asyncProperty(address, async (uri) => {
        await api
          .post(CLIENTS)
          .send({ ...WEB_APP, post_login_uris: [uri] })
          .expect(400);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a script address that was written into a row', () => {
  it.each([SCRIPT, 'java\nscript:alert(1)', 'data:text/html,x'])(
    'is refused as redirect_uri: %j',
    async (uri) => {
      const booted = await boot();
      await patchRow(booted.control, 'clients', OWN.client_id, { post_login_uris: [uri] });

      const page = await new Browser(booted).open(authorizeUrl({ redirect_uri: uri }));

      expect(page.status).toBe(400);
      expect(page.text).toContain('The redirect_uri runs a script.');
    },
  );

  it('is refused as a redirect after logout', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'clients', OWN.client_id, { post_logout_redirect_uris: [SCRIPT] });

    const query = new URLSearchParams({ post_logout_redirect_uri: SCRIPT, client_id: OWN.client_id });
    const page = await new Browser(booted).open(`/oidc/logout?${query}`);

    expect(page.status).toBe(400);
    expect(page.text).toContain('A redirect must not lead to an address that runs a script.');
  });

  it('is not opened after an invitation is accepted', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'clients', OWN.client_id, { initiate_login_uri: SCRIPT });

    const browser = new Browser(booted);
    const page = await browser.open('/ui/invitation/UnderstudyLenaInvitation0000000001');
    const done = await page.submit();

    expect([done.status, done.text]).toEqual([200, expect.stringContaining('is a member now.')]);
  });

  it('is refused as a custom login page', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', OKTA, { custom_login_uri: SCRIPT });

    const page = await atProvider(booted);

    expect(page.status).toBe(400);
    expect(page.text).toContain('A redirect must not lead to an address that runs a script.');
  });

  it('is refused for a sign-in that the identity provider starts', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'clients', OWN.client_id, { initiate_login_uri: SCRIPT });

    const form = { email: 'ada@acme.example', client_id: OWN.client_id };
    const page = await new Browser(booted).send(`/ui/identity-provider/connections/${OKTA}`, form);

    expect(page.status).toBe(400);
    expect(page.text).toContain('set initiate_login_uri');
  });
});
