import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContract } from '../../../src/documents.ts';
import { Redaction } from '../../../src/environment/journal/redaction.ts';
import { boot } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';

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

/** JSON with the secret somewhere under a name that says so. */
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
  it('leaves no secret that a name tells, nor the same one elsewhere', () => {
    fc.assert(
      fc.property(holding, (value) => {
        const call = { value, text: `see ${SECRET}.`, link: `https://a.example/x?y=1&z=${SECRET}#f` };

        const shown = JSON.stringify(new Redaction(call).value(call));

        expect(shown).not.toContain(SECRET);
        expect(shown).not.toContain(Buffer.from(`skc_1:${SECRET}`).toString('base64'));
      }),
    );
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
  ])('leaves no secret in %s', (text) => {
    expect(new Redaction().text(text)).not.toContain(SECRET);
    expect(new Redaction({ text }).value({ other: `the ${SECRET}` })).not.toContain(SECRET);
  });

  it('takes from a cookie its value, not where it is good', () => {
    const headers = { 'set-cookie': [`understudy_portal=${SECRET}; Path=/portal; SameSite=Strict`] };
    const call = { headers, path: '/portal/domains', text: `it was ${SECRET}` };

    expect(new Redaction(call).value(call)).toMatchObject({
      headers: { 'set-cookie': '[redacted]' },
      path: '/portal/domains',
      text: 'it was [redacted]',
    });
  });

  it('leaves no secret in a text that is cut off or malformed', () => {
    const whole = JSON.stringify({ a: 1, client_secret: SECRET, b: [{ refreshToken: `${SECRET} "q` }] });
    const form = `grant_type=x&client_secret=${SECRET}&b=1`;
    for (const text of [whole, form, `{'password': '${SECRET}'`, `{static_auth: {x: ["${SECRET}"]}}`])
      for (let end = 0; end <= text.length; end += 1) {
        const shown = new Redaction().unread(text.slice(0, end));
        expect(shown).not.toContain('planted');
      }
  });

  it.each([
    [{ code: 3, next_page_token: 'abcdefgh', token_type: 'Bearer', secret_suffix: 'abcd', key_id: 'key_1' }],
    [{ password: null, has_token: true, oauth_token: { scopes: ['repo'] } }],
  ])('leaves what is no secret: %o', (value) => {
    expect(new Redaction(value).value(value)).toEqual(value);
  });

  it('knows every member of the documents that sounds like a secret', () => {
    const names = new Set<string>();
    JSON.stringify([readContract('openapi'), readContract('control')], (_, value: unknown) => {
      const { properties = {} } = (value ?? {}) as { properties?: Record<string, { type?: unknown }> };
      for (const [member, { type }] of Object.entries(properties)) if (type === 'string') names.add(member);
      return value;
    });
    const alarming = [...names].filter((name) =>
      /secret|password|token|credential|private|cookie|assertion|verifier|otp/.test(name),
    );

    const shown = alarming.filter((name) =>
      JSON.stringify(new Redaction().value({ [name]: SECRET })).includes(SECRET),
    );

    expect(shown.toSorted()).toEqual(HARMLESS);
  });
});

/** What only sounds like a secret. */
const HARMLESS = [
  'access_token_expiry',
  'credential_id',
  'next_page_token',
  'passwordless_request_id',
  'prev_page_token',
  'secret_id',
  'secret_suffix',
  'sp_assertion_url',
  'token_access_type',
  'token_endpoint',
  'token_expires_at',
  'token_id',
  'token_suffix',
  'token_type',
  'token_type_hint',
  'token_uri',
  'token_url',
];

describe('the journal', () => {
  it('shows neither code nor link of a mail, nor who called', async () => {
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

  it('shows no link of a connected account, when it is made, opened and gone on from', async () => {
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

  it('shows no link and no token that stands in a path; neither do coverage and what is told live', async () => {
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
