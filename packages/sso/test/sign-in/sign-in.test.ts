import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { CALLBACK, atProvider, patchRow, rowsOf } from '../../../../test/support/sso.ts';
import { ACME, OKTA } from '../../../../test/support/fixture-ids.ts';

const CODE =
  /^http:\/\/localhost:3000\/callback\?code=[\w.]{40,}&state=s1&iss=http%3A%2F%2Flocalhost%3A8080$/;

describe('a sign-in at the identity provider', () => {
  it('lists its users and redirects the chosen user to the application', async () => {
    const booted = await boot();

    const page = await atProvider(booted);
    const back = await page.submit({}, 'value="ada@acme.example"');

    expect(page.text).toContain('<h1>Sign in with Okta</h1>');
    expect(page.text).not.toContain('value="lena@nordwind.example"');
    expect(back.url).toMatch(CODE);
    expect(await rowsOf(booted.control, 'sessions')).toContainEqual(
      expect.objectContaining({
        user_id: 'usr_10000000000000101',
        organization_id: ACME,
        connection_ids: [OKTA],
      }),
    );
  });

  it('creates a new user of the domain as a member', async () => {
    const booted = await boot();

    const page = await atProvider(booted);
    const person = { email: 'Grace@acme.example', given_name: 'Grace', family_name: 'Hopper' };
    const back = await page.submit(person, 'id="email"');

    expect(back.url).toMatch(CODE);
    const users = await rowsOf(booted.control, 'users');
    const user = users.find(({ email }) => email === 'Grace@acme.example');
    expect(user).toMatchObject({
      user_profile: { given_name: 'Grace', family_name: 'Hopper', email_verified: true },
    });
    expect(await rowsOf(booted.control, 'memberships')).toContainEqual(
      expect.objectContaining({
        organization_id: ACME,
        user_id: user!['id'],
        membership_status: 'ACTIVE',
        provisioning_method: 'jit_using_sso',
        role_ids: ['role_10000000000000002'],
      }),
    );
  });

  it.each([
    ['of another domain', 'grace@elsewhere.example', 'invalid_user_domain', {}],
    ['whose membership is inactive', 'tom@acme.example', 'user_not_active', {}],
    [
      'when just-in-time provisioning is off',
      'grace@acme.example',
      'unauthorized',
      { jit_provisioning_with_sso_enabled: false },
    ],
  ])('refuses a user %s', async (_, email, error, oidc_config) => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', OKTA, { oidc_config });
    const before = await rowsOf(booted.control, 'users');

    const back = await (await atProvider(booted)).submit({ email }, 'id="email"');

    expect(back.query('error')).toBe(error);
    expect(back.query('state')).toBe('s1');
    expect(await rowsOf(booted.control, 'users')).toEqual(before);
  });

  it('refuses a new user when no seat is left', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'organizations', ACME, { max_allowed_users: 1 });

    const back = await (await atProvider(booted)).submit({ email: 'grace@acme.example' }, 'id="email"');

    expect(back.query('error')).toBe('unauthorized');
    expect(back.query('error_description')).toContain('may have no more than 1 users');
  });

  it('activates a pending invitation of the user', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'memberships', 'mem_10000000000000002', {
      membership_status: 'PENDING_INVITE',
    });

    await (await atProvider(booted)).submit({}, 'value="ravi@acme.example"');

    expect(await rowsOf(booted.control, 'memberships')).toContainEqual(
      expect.objectContaining({ id: 'mem_10000000000000002', membership_status: 'ACTIVE' }),
    );
  });

  it('updates the names of the user from the identity provider', async () => {
    const booted = await boot();

    const person = { email: 'ada@acme.example', given_name: 'Augusta', family_name: 'King' };
    await (await atProvider(booted)).submit(person, 'id="email"');

    const [ada] = await rowsOf(booted.control, 'users');
    expect(ada).toMatchObject({ user_profile: { given_name: 'Augusta', family_name: 'King' } });
  });

  it('posts the response with a form for a SAML connection', async () => {
    const booted = await boot();
    const nordwind = 'conn_10000000000000252';
    await patchRow(booted.control, 'connections', nordwind, { status: 'COMPLETED', enabled: true });

    const page = await atProvider(booted, { connection: nordwind, protocol: 'saml' });
    const posting = await page.submit({}, 'value="nina@nordwind.example"');
    const back = await posting.submit();

    expect(page.text).toContain('Sign in with Microsoft Entra ID');
    expect(posting.status).toBe(200);
    expect(posting.text).toContain('<button>Continue</button>');
    expect(posting.text).toContain('document.forms[0].submit()');
    expect(back.url).toMatch(CODE);
  });

  it("redirects from a social provider to the SSO connection of the user's organization", async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', 'conn_10000000000000203', {
      is_login: true,
      is_app: false,
    });

    const github = await atProvider(booted, { connection: 'conn_10000000000000203', protocol: 'oauth' });
    const okta = await github.submit({ email: 'ada@acme.example' }, 'id="email"');

    expect(github.text).toContain('Sign in with GitHub');
    expect(okta.text).toContain('Sign in with Okta');
  });

  it('signs in a user of a social provider whose domain has no SSO connection', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', 'conn_10000000000000203', {
      is_login: true,
      is_app: false,
    });

    const github = await atProvider(booted, { connection: 'conn_10000000000000203', protocol: 'oauth' });
    const back = await github.submit({ email: 'yuki@lumen.example' }, 'id="email"');

    expect(back.url).toMatch(CODE);
  });

  it('is refused when the connection is disabled', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', OKTA, { enabled: false });

    const back = await atProvider(booted);

    expect(back.url).toContain(`${CALLBACK}?error=connection_not_active`);
  });

  it('stays in its environment', async () => {
    const booted = await boot();
    const { body: own } = await booted.control.post('/environments').send({ name: 'w1' }).expect(201);

    const page = await atProvider(booted, { client: own.client_id });
    const back = await page.submit({}, 'value="ada@acme.example"');

    expect(page.url).toMatch(/\/w1\.req_\d+$/);
    expect(back.query('code')).toMatch(/^w1\./);
    expect(await rowsOf(booted.control, 'login_transactions')).toEqual([]);
  });
});

describe('the response of an identity provider', () => {
  it('is accepted once', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await atProvider(booted, { browser });
    const [transaction] = await rowsOf(booted.control, 'login_transactions');
    const answer = booted.anonymous
      .post(`/ui/identity-provider/${transaction!['id']}`)
      .set('host', 'localhost:8080')
      .set('cookie', `understudy_login=${browser.cookies.get('understudy_login')}`)
      .type('form')
      .send({ csrf_token: transaction!['csrf_token'], error: 'server_error' });
    const { location } = (await answer.expect(303)).headers;

    const first = await browser.open(location!);
    const again = await browser.open(location!);

    expect(page.status).toBe(200);
    expect(first.query('error')).toBe('server_error');
    expect(again.status).toBe(410);
  });

  it('is refused when it is forged', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await atProvider(booted, { browser });
    const id = page.url.split('/').pop();

    const forged = await browser.open(`/sso/v1/oidc/${OKTA}/callback?state=${id}&code=${'x'.repeat(40)}`);

    expect(forged.status).toBe(400);
    expect(forged.text).toContain('unknown, or was used');
  });

  it('is discarded when the sign-in restarts at an identity provider', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await atProvider(booted, { browser });
    const [transaction] = await rowsOf(booted.control, 'login_transactions');
    const answer = await booted.anonymous
      .post(`/ui/identity-provider/${transaction!['id']}`)
      .set('cookie', `understudy_login=${browser.cookies.get('understudy_login')}`)
      .type('form')
      .send({ csrf_token: transaction!['csrf_token'], email: 'ada@acme.example' })
      .expect(303);
    const { search } = new URL(answer.headers['location']!);

    await browser.open(`/sso/v1/oidc/${OKTA}/init?auth_request_id=${transaction!['id']}`);
    const late = await browser.open(`/sso/v1/oidc/${OKTA}/callback${search}`);

    expect(page.status).toBe(200);
    expect(late.status).toBe(400);
  });

  it('is refused in another browser', async () => {
    const booted = await boot();
    const page = await atProvider(booted);
    const id = page.url.split('/').pop();

    const stolen = await new Browser(booted).open(`/sso/v1/oidc/${OKTA}/callback?state=${id}&code=x`);

    expect(stolen.status).toBe(403);
  });

  it('is refused at the callback of another connection', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await atProvider(booted, { browser });
    const id = page.url.split('/').pop();

    const mixed = await browser.open(`/sso/v1/oidc/conn_10000000000000253/callback?state=${id}&code=x`);

    expect(mixed.status).toBe(403);
  });

  it('is refused from a forged form', async () => {
    const booted = await boot();
    const page = await atProvider(booted);

    const refused = await page.submit({ csrf_token: 'guessed' }, 'value="ada@acme.example"');

    expect(refused.status).toBe(400);
  });
});
