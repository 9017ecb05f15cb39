import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { atProvider, patchRow } from '../../../../test/support/sso.ts';
import { ACME, OKTA } from '../../../../test/support/fixture-ids.ts';

const PAGE = `/ui/identity-provider/connections/${OKTA}`;
const PORTAL = 'skc_10000000000000002';
const LOGIN = 'https://app.example.com/login';

const withLoginPage = ({ control }: Booted) =>
  patchRow(control, 'clients', PORTAL, { initiate_login_uri: LOGIN });

describe('a sign-in that the identity provider starts', () => {
  it('sends the application a token about the user that expires after five minutes', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    await withLoginPage(booted);

    // Anybody can register a client of a protected resource, which gets no token about a user.
    await booted.anonymous
      .post('/api/v1/resources/res_10000000000000001/clients:register')
      .send({ client_name: 'Stranger', redirect_uris: ['https://stranger.example/callback'] })
      .expect(201);

    const page = await new Browser(booted).open(PAGE);
    const sent = await page.submit({
      email: 'ravi@acme.example',
      relay_state: '/reports',
      client_id: PORTAL,
    });

    expect(page.text).toContain('Applications at Okta');
    expect(page.text).not.toContain('Stranger');
    expect(sent.url).toMatch(/^https:\/\/app\.example\.com\/login\?idp_initiated_login=eyJ/);
    const now = Date.parse('2030-01-01T00:00:00Z') / 1000;
    expect(decodeJwt(sent.query('idp_initiated_login')!)).toEqual({
      iss: 'http://localhost:8080',
      iat: now,
      nbf: now,
      exp: now + 300,
      jti: expect.stringMatching(/^tkn_/),
      organization_id: ACME,
      connection_id: OKTA,
      login_hint: 'ravi@acme.example',
      relay_state: '/reports',
    });
  });

  it('fills the organization into the address of the application', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'clients', PORTAL, {
      initiate_login_uri: 'https://{{slug}}.example.com/login',
    });

    const sent = await new Browser(booted).send(PAGE, { email: 'ada@acme.example', client_id: PORTAL });

    expect(sent.url).toMatch(/^https:\/\/acme\.example\.com\/login\?idp_initiated_login=/);
  });

  it('sends a token that the API refuses as an access token', async () => {
    const booted = await boot();
    await withLoginPage(booted);

    const sent = await new Browser(booted).send(PAGE, { email: 'ada@acme.example' });

    const bearer = { authorization: `Bearer ${sent.query('idp_initiated_login')}` };
    await booted.anonymous.get('/api/v1/organizations').set(bearer).expect(401);
    await booted.anonymous.get('/userinfo').set(bearer).expect(401);
  });

  it('can start with a direct form post', async () => {
    const booted = await boot();
    await withLoginPage(booted);

    const sent = await new Browser(booted).send(PAGE, { email: 'ada@acme.example' });

    expect(sent.url).toMatch(/^https:\/\/app\.example\.com\/login\?idp_initiated_login=/);
  });

  it('redirects from the simulator to the default redirect address', async () => {
    const booted = await boot();
    await withLoginPage(booted);
    await patchRow(booted.control, 'connections', OKTA, { provider: 'IDP_SIMULATOR' });

    const sent = await new Browser(booted).send(PAGE, { email: 'ada@acme.example' });

    expect(sent.url).toMatch(/^https:\/\/app\.example\.com\/callback\?idp_initiated_login=/);
  });

  it('is refused by a SAML connection without allow_idp_initiated_login', async () => {
    const booted = await boot();
    await withLoginPage(booted);
    const saml = { type: 'SAML', oidc_config: null };
    await patchRow(booted.control, 'connections', OKTA, { ...saml, saml_config: {} });
    const begin = () => new Browser(booted).send(PAGE, { email: 'ada@acme.example' });

    const refused = await begin();
    await patchRow(booted.control, 'connections', OKTA, { saml_config: { allow_idp_initiated_login: true } });
    const allowed = await begin();

    expect(refused.url).toMatch(/^https:\/\/app\.example\.com\/login\?error=unauthorized&error_description=/);
    expect(allowed.query('idp_initiated_login')).toBeTruthy();
  });

  it('is refused by a disabled connection', async () => {
    const booted = await boot();
    await withLoginPage(booted);
    await patchRow(booted.control, 'connections', OKTA, { enabled: false });

    const refused = await new Browser(booted).send(PAGE, { email: 'ada@acme.example' });

    expect(refused.query('error')).toBe('connection_not_active');
  });

  it('shows what is missing', async () => {
    const booted = await boot();

    const invalidEmail = await new Browser(booted).send(PAGE, { email: 'ada' });
    const unknownClient = await new Browser(booted).send(PAGE, { email: 'a@b.example', client_id: 'skc_9' });

    expect([invalidEmail.status, unknownClient.status]).toEqual([400, 400]);
    expect(invalidEmail.text).toContain('Enter an e-mail address.');
    expect(unknownClient.text).toContain('set initiate_login_uri');
  });

  it('is linked from the page of the identity provider and stays in its environment', async () => {
    const booted = await boot();
    const { body: own } = await booted.control.post('/environments').send({ name: 'w1' }).expect(201);
    const page = await atProvider(booted, { client: own.client_id });

    const [, link = ''] = /href="(\/ui\/identity-provider\/connections\/[^"]*)"/.exec(page.text) ?? [];
    const sent = await (await new Browser(booted).open(link)).submit({ email: 'ada@acme.example' });

    expect(link).toBe(`/ui/identity-provider/connections/w1.${OKTA}`);
    const token = decodeJwt(sent.query('idp_initiated_login')!);
    expect(token).toMatchObject({ understudy_environment: 'w1' });
  });
});
