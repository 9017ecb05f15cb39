import { describe, expect, it } from 'vitest';
import { auth, NOW } from '../../../../test/support/accounts.ts';
import {
  configure,
  DONE_URL,
  eventsOf,
  follow,
  linkTo,
  pages,
  statusOf,
  VERIFY_URL,
} from '../../../../test/support/account-pages.ts';
import { boot } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { GMAIL, NOTION } from '../../../../test/support/fixture-ids.ts';

const OFF = { user_verification: 'off', post_user_verify_redirect_url: '' } as const;

describe('the consent page of a third party', () => {
  it('shows the provider, the identifier and the requested scopes', async () => {
    const env = await pages();

    const page = await follow(env, GMAIL);

    expect(page.status).toBe(200);
    expect(page.url).toMatch(/\/ui\/connect\/cauth_\d+$/);
    expect(page.text).toContain('<h1>Allow access to Gmail?</h1>');
    expect(page.text).toContain('<strong>default</strong>');
    expect(page.text).toContain('<code>https://www.googleapis.com/auth/gmail.modify</code>');
  });

  it('requests the scopes of the connection when it defines its own', async () => {
    const env = await pages(OFF);
    await env.control
      .patch('/state/connections/conn_10000000000000201')
      .send({ oauth_config: { scopes: ['mail.<read>'] } })
      .expect(200);

    const page = await follow(env, GMAIL);
    await page.submit({ outcome: 'granted' });

    expect(page.text).toContain('<code>mail.&lt;read&gt;</code>');
    expect(page.text).not.toContain('gmail.modify');
    expect(await auth(env.api, GMAIL)).toMatchObject({
      authorization_details: { oauth_token: { scopes: ['mail.<read>'] } },
    });
  });
});

describe('granted access with verification off', () => {
  it('activates the account with tokens that expire by the clock', async () => {
    const env = await pages(OFF);
    const page = await follow(env, NOTION);

    const done = await page.submit({ outcome: 'granted' });

    expect([done.status, done.url]).toEqual([200, expect.stringMatching(/\/ui\/connect\/cauth_\d+\/done$/)]);
    expect(done.text).toContain('<h1>Notion is connected</h1>');
    expect(await auth(env.api, NOTION)).toMatchObject({
      status: 'ACTIVE',
      updated_at: NOW,
      token_expires_at: '2030-01-01T01:00:00.000Z',
      authorization_details: {
        oauth_token: {
          access_token: expect.stringMatching(/^at_\w{32}$/),
          refresh_token: expect.stringMatching(/^rt_\w{32}$/),
          scopes: [],
          domain: '',
        },
      },
    });
    expect(await eventsOf(env.control, NOTION)).toEqual([
      ['magic_link_generated', 'PENDING_AUTH'],
      ['oauth_tokens_fetched', 'ACTIVE'],
      ['oauth_succeeded', 'ACTIVE'],
      ['status_updated', 'ACTIVE'],
    ]);
  });

  it('refreshes the tokens when they are used after they expired', async () => {
    const env = await pages(OFF);
    await (await follow(env, NOTION)).submit({ outcome: 'granted' });
    const first = await auth(env.api, NOTION);

    await env.control.post('/clock/advance').send({ by: '2h' }).expect(200);
    const later = await auth(env.api, NOTION);

    const token = first['authorization_details'].oauth_token;
    expect(later).toMatchObject({ status: 'ACTIVE', token_expires_at: '2030-01-01T03:00:00.000Z' });
    expect(later['authorization_details'].oauth_token).toEqual({
      ...token,
      access_token: expect.not.stringContaining(token.access_token),
    });
  });

  it('redirects to the address of the settings', async () => {
    const env = await pages({ ...OFF, post_user_verify_redirect_url: DONE_URL });

    const done = await (await follow(env, NOTION)).submit({ outcome: 'granted' });

    expect(done.url).toBe(DONE_URL);
  });

  it('ends on its own page when the fixture has no redirect address', async () => {
    const booted = await boot({ baseUrl: 'http://localhost:8080' });
    await configure(booted.control, { user_verification: 'off' });

    const page = await follow({ ...booted, browser: new Browser(booted) }, NOTION);
    const done = await page.submit({ outcome: 'granted' });

    expect([done.status, done.text]).toEqual([200, expect.stringContaining('<h1>Notion is connected</h1>')]);
    expect(done.text).toContain('You can close this page.');
  });

  it.each(['javascript:alert(1)', '/connected', 'app.example.com'])(
    'refuses settings with the redirect address %s',
    async (address) => {
      const { control } = await boot();

      for (const name of ['post_user_verify_redirect_url', 'user_verify_url'])
        await control
          .patch('/state/settings/settings')
          .send({ [name]: address })
          .expect(400);
    },
  );

  it('replaces the tokens of an account that is already active', async () => {
    const env = await pages(OFF);

    await (await follow(env, GMAIL)).submit({ outcome: 'granted' });

    expect(await auth(env.api, GMAIL)).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { oauth_token: { access_token: expect.stringMatching(/^at_/) } },
    });
  });
});

describe('access that is not granted', () => {
  it('keeps what only a tester needs apart from the buttons of the end user', async () => {
    const env = await pages(OFF);

    const { text } = await follow(env, NOTION);

    const [folded = ''] = /<details[^]*?<\/details>/.exec(text) ?? [];
    expect(folded).toContain('For tests: let Notion fail');
    expect(folded).toContain('value="failed"');
    expect(text.replace(folded, '')).not.toMatch(/name="error"|value="failed"/);
    expect(text.replace(folded, '')).toMatch(/value="denied"/);
  });

  it.each([
    [{ outcome: 'denied' }, 'access_denied', 'The user denied access.'],
    [{ outcome: 'failed' }, 'server_error', 'The provider had an internal error.'],
    [{ outcome: 'failed', error: 'invalid_scope' }, 'invalid_scope', 'The provider does not know one'],
  ])('leaves the account unchanged and shows the reason: %j', async (form, error, text) => {
    const env = await pages(OFF);

    const done = await (await follow(env, NOTION)).submit(form);

    expect(done.status).toBe(200);
    expect(done.text).toContain('<h1>Notion is not connected</h1>');
    expect(done.text).toContain(`<code>${error}</code>`);
    expect(done.text).toContain(text);
    expect(await statusOf(env.api, NOTION)).toBe('PENDING_AUTH');
  });

  it.each([
    [{ outcome: 'denied' }, 'access_denied'],
    [{ outcome: 'failed', error: 'unauthorized_client' }, 'unauthorized_client'],
  ])('redirects with the error to an application that verifies users itself: %j', async (form, error) => {
    const env = await pages();
    const page = await follow(env, NOTION, { user_verify_url: `${VERIFY_URL}?from=1`, state: 'a&b' });

    const back = await page.submit(form);

    expect(back.url.startsWith(`${VERIFY_URL}?from=1&error=${error}&error_description=`)).toBe(true);
    expect([back.query('state'), back.query('auth_request_id')]).toEqual(['a&b', null]);
    expect(await statusOf(env.api, NOTION)).toBe('PENDING_AUTH');
  });

  it('keeps the tokens of an active account', async () => {
    const env = await pages(OFF);
    const before = await auth(env.api, GMAIL);

    await (await follow(env, GMAIL)).submit({ outcome: 'denied' });

    expect(await auth(env.api, GMAIL)).toEqual(before);
  });
});

describe('the magic link of a connected account', () => {
  it('works once: afterwards the link, its page and its form answer 410', async () => {
    const env = await pages(OFF);
    const link = await linkTo(env.api, NOTION);
    const page = await env.browser.open(link);
    await page.submit({ outcome: 'granted' });

    const [again, back, sent] = [
      await env.browser.open(link),
      await env.browser.open(page.url),
      await page.submit({ outcome: 'denied' }),
    ];

    expect([again, back, sent].map(({ status }) => status)).toEqual([410, 410, 410]);
    expect(again.text).toContain('This link was used before: ask for a new one.');
    expect(await statusOf(env.api, NOTION)).toBe('ACTIVE');
  });

  it('can be opened again by the same browser, but not by another', async () => {
    const env = await pages();
    const link = await linkTo(env.api, NOTION);
    const page = await env.browser.open(link);

    const again = await env.browser.open(link);
    const other = await new Browser(env).open(link);

    expect([again.status, again.url, other.status]).toEqual([200, page.url, 410]);
  });

  it('expires after a minute by the clock', async () => {
    const env = await pages();
    const link = await linkTo(env.api, NOTION);

    await env.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    const page = await env.browser.open(link);

    expect(page.status).toBe(410);
    expect(page.text).toContain('This link has expired: ask for a new one.');
  });

  it.each(['9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d_o', 'whatever', 'x_q'])(
    'answers 404 for an unknown token: %s',
    async (token) => {
      const { browser } = await pages();

      const page = await browser.open(`/magicLink/${token}`);

      expect(page.status).toBe(404);
      expect(page.text).toContain('This link is unknown: ask for a new one.');
    },
  );

  it('stops working, together with its page, when the account is disconnected', async () => {
    const env = await pages(OFF);
    const link = await linkTo(env.api, NOTION);
    const page = await env.browser.open(link);

    await env.api.post(`/api/v1/connected_accounts/${NOTION}:disconnect`).send({}).expect(200);

    expect((await page.submit({ outcome: 'granted' })).status).toBe(404);
    expect((await env.browser.open(link)).status).toBe(404);
    expect(await statusOf(env.api, NOTION)).toBe('DISCONNECTED');
  });

  it('works in the environment that created it and redirects back there', async () => {
    const booted = await boot({ now: NOW, baseUrl: 'http://localhost:8080' });
    const { api, control } = await booted.environment('worker-1');
    await control.patch('/state/settings/settings').send(OFF).expect(200);
    const browser = new Browser(booted);

    const page = await browser.open(await linkTo(api, NOTION));
    const done = await page.submit({ outcome: 'granted' });

    expect(page.url).toMatch(/\/ui\/connect\/worker-1\.cauth_\d+$/);
    expect(done.status).toBe(200);
    expect(await statusOf(api, NOTION)).toBe('ACTIVE');
    expect(await statusOf(booted.api, NOTION)).toBe('PENDING_AUTH');
  });
});

describe('the consent page', () => {
  it('refuses another browser and changes nothing', async () => {
    const env = await pages(OFF);
    const page = await follow(env, NOTION);
    const stolen = new Browser(env);
    const { text } = page;
    const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(text)![1]!;

    const [shown, sent, done] = [
      await stolen.open(page.url),
      await stolen.send(page.url, { csrf_token, outcome: 'granted' }),
      await stolen.open(`${page.url}/done`),
    ];

    expect([shown, sent, done].map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(shown.text).toContain('Invalid state');
    expect(await statusOf(env.api, NOTION)).toBe('PENDING_AUTH');
  });

  it.each([{}, { csrf_token: 'of-another-page' }])(
    'refuses a form without its own CSRF token: %j',
    async (form) => {
      const env = await pages(OFF);
      const page = await follow(env, NOTION);

      const sent = await env.browser.send(page.url, { outcome: 'granted', ...form });

      expect(sent.status).toBe(400);
      expect(await statusOf(env.api, NOTION)).toBe('PENDING_AUTH');
    },
  );

  it('expires after 30 minutes by the clock', async () => {
    const env = await pages(OFF);
    const page = await follow(env, NOTION);

    await env.control.post('/clock/advance').send({ by: '30m' }).expect(200);
    const [sent, done] = [
      await page.submit({ outcome: 'granted' }),
      await env.browser.open(`${page.url}/done`),
    ];

    expect([sent.status, done.status]).toEqual([410, 410]);
    expect(sent.text).toContain('Session expired or invalid');
    expect(await statusOf(env.api, NOTION)).toBe('PENDING_AUTH');
  });

  it('escapes identifiers and provider names', async () => {
    const env = await pages();
    await env.control
      .patch(`/state/connected_accounts/${NOTION}`)
      .send({ identifier: '<img src=x>' })
      .expect(200);
    await env.control
      .patch('/state/providers/NOTION')
      .send({ display_name: '"><script>1</script>' })
      .expect(200);

    const page = await follow(env, NOTION);

    expect(page.text).not.toMatch(/<img|<script/);
    expect(page.text).toContain('&lt;img src=x&gt;');
  });

  it('works in two tabs of one browser independently', async () => {
    const env = await pages(OFF);
    const [notion, gmail] = [await follow(env, NOTION), await follow(env, GMAIL)];

    const first = await notion.submit({ outcome: 'granted' });
    const second = await gmail.submit({ outcome: 'denied' });

    expect([first.status, second.status]).toEqual([200, 200]);
  });

  it('sets its cookie as HttpOnly and SameSite=Lax, and as Secure when the base URL is https', async () => {
    const env = await boot({ baseUrl: 'https://auth.acme.example' });

    const { headers } = await env.anonymous.get(new URL(await linkTo(env.api, NOTION)).pathname);

    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^understudy_connect=\w{32}; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ]);
  });

  it('redirects from the result page back to the consent page while nothing is decided', async () => {
    const env = await pages();
    const page = await follow(env, NOTION);

    const back = await env.browser.open(`${page.url}/done`);

    expect([back.status, back.url]).toEqual([200, page.url]);
  });
});
