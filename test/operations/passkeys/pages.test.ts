import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser, type Visit } from '../../support/browser.ts';
import { ask, exchange } from '../oauth-support.ts';
import { AUTHORIZE } from '../../support/sso.ts';
import { ADA, ERIK, LAPTOP_KEY, RAVI, YUKI } from '../../support/fixture-ids.ts';

const PROFILE = '/ui/profile/passkeys';
/** No identity provider serves the domain of her address. */

/** The environment has passkeys switched on, and Erik has one. */
async function switchedOn(webauthn_config: object = {}, more: object = {}) {
  const booted = await boot();
  const row = {
    provider: 'CUSTOM',
    type: 'WEBAUTHN',
    status: 'COMPLETED',
    enabled: true,
    provider_key: 'WEBAUTHN',
    key_id: 'WEBAUTHN',
    webauthn_config,
    ...more,
  };
  await booted.control.put('/state/connections/conn_10000000000000299').send(row).expect(200);
  await booted.control.post('/passkeys').send({ user: ERIK }).expect(200);
  return booted;
}

const optionsIn = ({ text }: Visit) =>
  JSON.parse(/data-passkey="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')) as { challenge: string };

/** What the script of the page would fill in. */
async function filled(
  { control }: Booted,
  page: Visit,
  wanted: object = {},
): Promise<Record<string, string>> {
  const { challenge } = optionsIn(page);
  const { body } = await control
    .post('/passkeys/sign')
    .send({ challenge, ...wanted })
    .expect(200);
  const { response, session_id: _, type: __, transports, ...rest } = body.body;
  return { ...rest, ...response, ...(transports && { transports: transports.join(',') }) };
}

const signInWithPasskey = async (booted: Booted, page: Visit, wanted?: object) => {
  const { authenticator_attachment: _, ...form } = await filled(booted, page, wanted);
  return page.submit(form, 'data-passkey');
};

describe('the sign-in page', () => {
  it('signs in with a passkey', async () => {
    const booted = await switchedOn();
    const page = await new Browser(booted).open(AUTHORIZE);
    expect(page.text).toContain('Continue with Passkey');
    expect(page.text).toContain('autocomplete="username webauthn"');

    const back = await signInWithPasskey(booted, page);

    expect(back.url).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
    const { body } = await booted.control.get('/state/sessions').expect(200);
    expect(body.rows.at(-1)).toMatchObject({ user_id: ERIK, status: 'active' });
  });

  it('names the connection for passkeys in the ID token, and not the one for mailed codes', async () => {
    const booted = await switchedOn();
    const page = await new Browser(booted).open(AUTHORIZE);
    const back = await signInWithPasskey(booted, page);

    const { body } = await ask(booted.anonymous, exchange(back.query('code')!)).expect(200);

    expect(decodeJwt(body.id_token)['amr']).toEqual(['conn_10000000000000299']);
  });

  it('says why a passkey was refused', async () => {
    const booted = await switchedOn();
    const page = await new Browser(booted).open(AUTHORIZE);

    const refused = await signInWithPasskey(booted, page, { origin: 'http://evil.example' });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('has the origin http://evil.example: allowed are http://localhost:8080');
  });

  it('sends a user of a domain with single sign-on to the identity provider', async () => {
    const booted = await switchedOn();
    const page = await new Browser(booted).open(AUTHORIZE);

    const next = await signInWithPasskey(booted, page, { credential_id: 'YWRhLXdvcmstbGFwdG9wLT8-' });

    expect(next.url).toMatch(/\/ui\/identity-provider\//);
  });

  it.each<[string, () => Promise<Booted>, boolean, boolean]>([
    ['without a connection', () => boot(), false, false],
    ['with a connection that is switched off', () => switchedOn({}, { enabled: false }), false, false],
    ['without the button', () => switchedOn({ show_passkey_button: false }), false, true],
    ['without autofill', () => switchedOn({ enable_conditional_login: false }), true, false],
    [
      'without both',
      () => switchedOn({ show_passkey_button: false, enable_conditional_login: false }),
      false,
      false,
    ],
  ])('%s offers what the settings say', async (_, start, button, autofill) => {
    const { text } = await new Browser(await start()).open(AUTHORIZE);

    expect(text.includes('Continue with Passkey')).toBe(button);
    expect(text.includes('username webauthn')).toBe(autofill);
    expect(text.includes('data-passkey')).toBe(button || autofill);
  });

  it('refuses the form of another page', async () => {
    const booted = await switchedOn();
    const page = await new Browser(booted).open(AUTHORIZE);
    const { authenticator_attachment: _, ...form } = await filled(booted, page);

    const refused = await page.submit({ ...form, csrf_token: 'x' }, 'data-passkey');

    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('was not sent from its page'),
    ]);
  });
});

/** No identity provider serves the domain of her address, and she has no passkey. */

const signInAs = async (booted: Booted, user_id: string) =>
  (await new Browser(booted).open(AUTHORIZE)).submit({ user_id }, 'user_id');

describe('the page after a sign-in without a passkey', () => {
  it('adds a passkey and goes on', async () => {
    const booted = await switchedOn({ enable_auto_registration: true });
    const page = await signInAs(booted, YUKI);
    expect(page.text).toContain('Add a passkey?');

    const back = await page.submit(await filled(booted, page), 'data-passkey');

    expect(back.url).toMatch(/\?code=/);
    const { body } = await booted.control.get('/state/passkeys').expect(200);
    expect(body.rows.at(-1)).toMatchObject({ user_id: YUKI });
    expect((await signInAs(booted, YUKI)).url).toMatch(/\?code=/);
  });

  it('goes on without a passkey, and asks again at the next sign-in', async () => {
    const booted = await switchedOn({ enable_auto_registration: true });
    const browser = new Browser(booted);
    const page = await (await browser.open(AUTHORIZE)).submit({ user_id: YUKI }, 'user_id');

    const back = await page.submit({ action: 'skip' }, 'Not now');
    const inSession = await browser.open(AUTHORIZE);

    expect([back.url, inSession.url]).toEqual(Array(2).fill(expect.stringMatching(/\?code=/)));
    expect((await signInAs(booted, YUKI)).text).toContain('Add a passkey?');
  });

  it('says why a passkey was refused', async () => {
    const booted = await switchedOn({ enable_auto_registration: true });
    const page = await signInAs(booted, YUKI);

    const refused = await page.submit(
      await filled(booted, page, { origin: 'http://evil.example' }),
      'data-passkey',
    );

    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('has the origin http://evil.example'),
    ]);
    expect(refused.text).toContain('Not now');
  });

  it.each([
    ['to a user with a passkey', ERIK, { enable_auto_registration: true }, {}, ''],
    ['to a user of an identity provider', RAVI, { enable_auto_registration: true }, {}, ''],
    ['unless the settings say so', YUKI, {}, {}, ''],
    ['if passkeys are off', YUKI, { enable_auto_registration: true }, { enabled: false }, ''],
    ['in a silent sign-in', YUKI, { enable_auto_registration: true }, {}, '&understudy_auto=1'],
  ])('is not shown %s', async (_, user_id, settings, more, asked) => {
    const booted = await switchedOn(settings, more);
    const { body } = await booted.control.get(`/state/users/${user_id}`).expect(200);

    const start = `${AUTHORIZE}${asked && `${asked}&login_hint=${body.email}`}`;
    const page = await new Browser(booted).open(start);

    expect((asked ? page : await page.submit({ user_id }, 'user_id')).url).toMatch(/\?code=/);
  });

  it('does not open before the user is known', async () => {
    const booted = await switchedOn({ enable_auto_registration: true });
    const browser = new Browser(booted);
    const start = await browser.open(AUTHORIZE);

    const shown = await browser.open(`${start.url}/new-passkey`);

    expect([shown.url, shown.text]).toEqual([start.url, expect.stringContaining('<h1>Sign in</h1>')]);
  });
});

describe('a sign-in page of the customer', () => {
  it('learns how passkeys are offered, and that one was used', async () => {
    const booted = await switchedOn({ enable_auto_registration: true, show_passkey_button: false });
    const browser = new Browser(booted);
    await browser.open(AUTHORIZE);

    const { text } = await browser.open('/api/v1/authmethods');

    expect(JSON.parse(text).auth_methods.at(-1)).toEqual({
      connection_id: 'conn_10000000000000299',
      connection_type: 'WEBAUTHN',
      provider: 'CUSTOM',
      enable_webauthn_auto_registration: true,
      show_passkey_button: false,
      enable_webauthn_conditional_login: true,
    });
    const { body } = await booted.control.get('/state/login_transactions').expect(200);
    const known = { user_id: YUKI, verified_with: 'passkey' };
    await booted.control.patch(`/state/login_transactions/${body.rows[0].id}`).send(known).expect(200);
    expect(JSON.parse((await browser.open('/api/v1/auth/state')).text).auth_state).toBe('WEBAUTHN_VERIFIED');
  });
});

/** The page of the passkeys of a user, in a browser in which the user is signed in. */
async function profile(booted: Booted, user_id = ADA) {
  const browser = new Browser(booted);
  const page = await browser.open(AUTHORIZE);
  await page.submit({ user_id });
  return browser.open(PROFILE);
}

describe('the page of passkeys', () => {
  it('lists the passkeys of the signed-in user', async () => {
    const { text } = await profile(await boot());

    expect(text).toContain('Work laptop');
    expect(text).toContain('Safari on macOS in Seattle');
    expect(text).toContain('Add a passkey');
  });

  it('adds a passkey, with which the user can sign in', async () => {
    const booted = await switchedOn();
    const page = await profile(booted, ERIK);

    const shown = await page.submit(await filled(booted, page), 'data-passkey');

    expect([shown.status, shown.url]).toEqual([200, `http://localhost:8080${PROFILE}`]);
    const { body } = await booted.control.get('/state/passkeys').expect(200);
    const { credential_id } = body.rows.at(-1);
    const back = await signInWithPasskey(booted, await new Browser(booted).open(AUTHORIZE), {
      credential_id,
    });
    expect(back.url).toMatch(/\?code=/);
  });

  it('renames and removes a passkey', async () => {
    const booted = await boot();
    const page = await profile(booted);

    const renamed = await page.submit({ display_name: ' Couch ' }, 'value="rename"');
    expect(renamed.text).toContain('<h2>Couch</h2>');
    const removed = await renamed.submit({}, 'value="remove"');

    expect(removed.text).not.toContain('Couch');
    await booted.control.get(`/state/passkeys/${LAPTOP_KEY}`).expect(404);
  });

  it.each([
    ['an empty name', { display_name: '' }, 'The name of a passkey must not be empty'],
    ['a passkey of nobody', { passkey_id: 'cred_1', display_name: 'x' }, 'Passkey cred_1 not found'],
    [
      'no answer of an authenticator',
      { action: 'add' },
      'The browser sent no passkey: this form needs JavaScript',
    ],
  ])('refuses %s', async (_, form, problem) => {
    const page = await profile(await boot());

    const refused = await page.submit(form, 'value="rename"');

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(problem)]);
  });

  it('refuses the passkey of another user', async () => {
    const booted = await boot();
    const page = await profile(booted);
    const other = { user_id: 'usr_10000000000000102' };
    await booted.control.patch(`/state/passkeys/${LAPTOP_KEY}`).send(other).expect(200);

    const refused = await page.submit({}, 'value="remove"');

    expect(refused.text).toContain(`Passkey ${LAPTOP_KEY} not found`);
    await booted.control.get(`/state/passkeys/${LAPTOP_KEY}`).expect(200);
  });

  it('refuses a browser in which nobody is signed in, and the form of another page', async () => {
    const booted = await boot();
    const page = await profile(booted);

    const foreign = await page.submit({ csrf_token: 'x' }, 'value="remove"');
    const nobody = await new Browser(booted).open(PROFILE);

    expect([foreign.status, nobody.status]).toEqual([400, 403]);
    expect(nobody.text).toContain('Not signed in');
  });
});
