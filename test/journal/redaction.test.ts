import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from '../../src/journal/redaction.ts';
import { boot } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';

const SECRET = 'planted4secret';

const NAMES = [
  'client_secret',
  'clientSecret',
  'CLIENT_SECRET',
  'password',
  'authorization',
  'Set-Cookie',
  'x-api-key',
  'link_token',
  'code',
  'static_auth',
  'refreshToken',
  'private_key',
  'SAMLResponse',
];

/** JSON that has the secret under a secret name. */
const holding = fc.letrec<{ value: unknown; secret: unknown }>((tie) => ({
  secret: fc.oneof(
    fc.constant(SECRET),
    fc.constant(`Bearer ${SECRET}`),
    fc.constant(`Basic ${Buffer.from(`skc_1:${SECRET}`).toString('base64')}`),
    fc.constant([`session=${SECRET}; Path=/`]),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.dictionary(fc.constantFrom(...NAMES), tie('secret'), { minKeys: 1, maxKeys: 2 }),
    fc.record({ inner: tie('value'), list: fc.array(tie('value'), { maxLength: 2 }) }),
  ),
})).value;

describe('redaction', () => {
  it('removes every value with a secret name, and the same value elsewhere', () => {
    fc.assert(
      fc.property(holding, (value) => {
        const call = { value, text: `see ${SECRET}.`, link: `https://a.example/x?y=1&z=${SECRET}#f` };

        const shown = JSON.stringify(new Redaction(call).value(call));

        expect(shown).not.toContain(SECRET);
        expect(shown).not.toContain(Buffer.from(`skc_1:${SECRET}`).toString('base64'));
      }),
    );
  });

  it.each([1, 25])('removes each of %s secrets of a call, wherever it stands', (count) => {
    const secrets = Array.from({ length: count }, (_, index) => `${SECRET}${index}`);
    const call = {
      keys: secrets.map((password) => ({ password })),
      text: secrets.join(' '),
      note: 'harmless',
    };

    const shown = JSON.stringify(new Redaction(call).value(call));

    expect(shown).not.toContain(SECRET);
    expect(shown).toContain('harmless');
  });

  it.each([
    `https://app.example/in?link_token=${SECRET}`,
    `http://localhost:8080/magicLink/${SECRET}_p`,
    `http://localhost/callback?state=1&code=${SECRET}#x`,
    `no operation has the path /magicLink/${SECRET}`,
    `/magiclink/${SECRET}`,
    `https://app.example/#id_token=${SECRET}`,
    `<input type="hidden" name="csrf_token" value="${SECRET}" />`,
    `<input\n id="directory_secret"\n name="directory_secret"\n type="text"\n value="${SECRET}"\n/>`,
    `postgres://app:${SECRET}@db.example/main`,
    `http://localhost:8080/ui/invitation/${SECRET}`,
    `/oauth/token?code_verifier=${SECRET}`,
  ])('removes the secret from %s', (text) => {
    expect(new Redaction().text(text)).not.toContain(SECRET);
    expect(new Redaction({ text }).value({ other: `the ${SECRET}` })).not.toContain(SECRET);
  });

  it('removes the value of a cookie, but not its attributes', () => {
    const headers = { 'set-cookie': [`understudy_portal=${SECRET}; Path=/portal; SameSite=Strict`] };
    const call = { headers, path: '/portal/domains', text: `it was ${SECRET}` };

    expect(new Redaction(call).value(call)).toMatchObject({
      headers: { 'set-cookie': '[redacted]' },
      path: '/portal/domains',
      text: 'it was [redacted]',
    });
  });

  it('removes secrets from a truncated or malformed text', () => {
    const whole = JSON.stringify({ a: 1, client_secret: SECRET, b: [{ refreshToken: `${SECRET} "q` }] });
    const form = `grant_type=x&client_secret=${SECRET}&b=1`;
    for (const text of [whole, form, `{'password': '${SECRET}'`, `{static_auth: {x: ["${SECRET}"]}}`])
      for (let end = 0; end <= text.length; end += 1) {
        const shown = new Redaction().unread(text.slice(0, end));
        expect(shown).not.toContain('planted');
      }
  });

  it('hides the old and the new value of a changed secret', () => {
    const path = '/connections/conn_1/oauth_config/client_secret';
    const changed = { op: 'replace' as const, path, value: `${SECRET}-2`, before: SECRET };

    expect(new Redaction(changed).patch(changed)).toEqual({
      op: 'replace',
      path,
      value: '[redacted]',
      before: '[redacted]',
    });
  });

  it.each([
    [{ path: '/users?page_token=abcdefgh&page_size=2' }],
    [{ code: 3, next_page_token: 'abcdefgh', token_type: 'Bearer', secret_suffix: 'abcd', key_id: 'key_1' }],
    [{ password: null, has_token: true, oauth_token: { scopes: ['repo'] } }],
  ])('keeps values that are not secret: %o', (value) => {
    expect(new Redaction(value).value(value)).toEqual(value);
  });
});

describe('the journal', () => {
  it('shows neither the code of a mail nor the token of the caller', async () => {
    const { api, control, token } = await boot();
    const email = { email: 'ada@acme.example', template: 'SIGNIN' };
    const { body } = await api.post('/api/v1/passwordless/email/send').send(email).expect(200);
    const [mail] = (await control.get('/mail').expect(200)).body.mails;
    const proof = { code: mail.code, auth_request_id: body.auth_request_id };
    await api.post('/api/v1/passwordless/email/verify').send(proof).expect(200);

    const journal = await control.get('/requests').expect(200);

    expect(journal.text).not.toContain(mail.code);
    expect(journal.text).not.toContain(token);
    expect(journal.body.requests.at(-2).changes).toMatchObject(
      expect.arrayContaining([
        { op: 'add', path: `/mails/${mail.id}`, value: expect.objectContaining({ code: '[redacted]' }) },
      ]),
    );
  });

  it('shows the old values of what a call changed and removed, without the secrets', async () => {
    const { api, control } = await boot();
    const clients = '/api/v1/organizations/org_10000000000000001/clients';
    const { body } = await api.post(clients).send({ name: 'Importer' }).expect(201);
    const { client_id: id } = body.client;
    await api.patch(`${clients}/${id}`).send({ name: 'Exporter' }).expect(200);
    await api.delete(`${clients}/${id}`).expect(200);

    const journal = await control.get('/requests?limit=2').expect(200);

    const [renamed, removed] = journal.body.requests;
    expect(renamed.changes).toContainEqual({
      op: 'replace',
      path: `/clients/${id}/name`,
      value: 'Exporter',
      before: 'Importer',
    });
    expect(removed.changes).toContainEqual({
      op: 'remove',
      path: `/clients/${id}`,
      before: expect.objectContaining({
        name: 'Exporter',
        secrets: [expect.objectContaining({ secret: '[redacted]' })],
      }),
    });
    expect(journal.text).not.toContain(body.plain_secret);
  });

  it('shows no link of a connected account when it is created, opened and submitted', async () => {
    const { api, control, understudy } = await boot({ baseUrl: 'http://localhost:8080' });
    const asked = { connector: 'gmail', identifier: 'lea@acme.example' };
    const { body } = await api.post('/api/v1/connected_accounts/magic_link').send(asked).expect(200);
    const page = await new Browser({ understudy }).open(body.link);
    await page.submit({ outcome: 'granted' });
    await api.post('/api/v1/connected_accounts:delete').send(asked).expect(200);

    const journal = await control.get('/requests').expect(200);

    expect(journal.text).toContain('/magic_links/[redacted]/used_at');
    expect(journal.text).not.toContain(body.link.split('/').at(-1));
  });

  it('shows no link and no token in a path; neither do coverage and the activity feed', async () => {
    const { anonymous, api, control, token, understudy } = await boot();
    const { feed } = understudy.controls.simulator.environments.get('default');
    await anonymous.get(`/MagicLink/${SECRET}`).expect(404);
    await anonymous.get(`/nowhere/${token}`).expect(404);
    await api.get(`/api/v1/users/${SECRET}`).set('x-api-key', SECRET).expect(404);

    const told = feed.after(0).events.map(({ data }) => data);
    const shown = await Promise.all(
      ['/requests', '/coverage', '/coverage?format=html'].map(
        async (path) => (await control.get(path).expect(200)).text,
      ),
    );

    expect(told).toHaveLength(3);
    for (const text of [...told, ...shown]) {
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(token);
    }
  });
});
