import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { later } from '../support/later.ts';
import { ask, authorizeUrl, exchange, OWN, PORTAL } from './oauth-support.ts';
import { ACME } from '../support/fixture-ids.ts';

const BYE = 'http://localhost:3000/bye';
const PORTAL_BYE = 'https://app.example.com/signed-out';

/** Signs a user in, Ada by default, and returns the browser and the id_token. */
async function signInAda(booted: Booted, user_id = 'usr_10000000000000101') {
  const browser = new Browser(booted);
  const id_token = await signIn(booted, browser, user_id);
  return { browser, id_token };
}

async function signIn(booted: Booted, browser: Browser, user_id: string): Promise<string> {
  const page = await browser.open(authorizeUrl({ prompt: 'login' }));
  const back = await page.submit({ user_id });
  const { body } = await ask(booted.anonymous, exchange(back.query('code')!)).expect(200);
  return body.id_token;
}

const logoutUrl = (parameters: Record<string, string>) => `/oidc/logout?${new URLSearchParams(parameters)}`;

/** The sessions that browsers created, without those of the fixture. */
async function sessionsOf({ control }: Pick<Booted, 'control'>) {
  const { body } = await control.get('/state/sessions').expect(200);
  return body.rows.filter(({ cookie }: { cookie?: string }) => cookie) as Record<string, string>[];
}

describe('Logout_EndSession', () => {
  it('ends the session, deletes the cookie and redirects to the application with the state', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { browser, id_token } = await signInAda(booted);
    expect(browser.cookies.has('understudy_session')).toBe(true);

    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 's 1&2' };
    const left = await browser.open(logoutUrl(parameters));

    expect(left.url).toBe(`${BYE}?state=s%201%262`);
    expect(browser.cookies.has('understudy_session')).toBe(false);
    const logout_at = '2030-01-01T00:00:00.000Z';
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout', logout_at }]);
    const again = await browser.open(authorizeUrl());
    expect(again.text).toContain('for="email"');
  });

  it('shows a page when the application gives no redirect address', async () => {
    const booted = await boot();
    const { browser, id_token } = await signInAda(booted);

    const page = await browser.open(logoutUrl({ id_token_hint: id_token }));

    expect(page.text).toContain('You are signed out');
    expect(browser.cookies.has('understudy_session')).toBe(false);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('accepts a form post without a cookie', async () => {
    const booted = await boot();
    const { id_token } = await signInAda(booted);
    const elsewhere = new Browser(booted);

    const left = await elsewhere.send('/oidc/logout', {
      id_token_hint: id_token,
      post_logout_redirect_uri: BYE,
      state: 'x',
    });

    expect(left.url).toBe(`${BYE}?state=x`);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('accepts an expired id_token_hint', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { browser, id_token } = await signInAda(booted);
    await later(booted, '31m');

    const left = await browser.open(logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: BYE }));

    expect(left.url).toBe(BYE);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('keeps the session that another user has started in the same browser since', async () => {
    const booted = await boot();
    const { browser, id_token } = await signInAda(booted);
    await signIn(booted, browser, 'usr_10000000000000102');

    await browser.open(logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: BYE }));

    expect((await sessionsOf(booted)).map(({ status }) => status)).toEqual(['logout', 'active']);
    expect(browser.cookies.has('understudy_session')).toBe(true);
  });

  it.each([
    ['malformed', () => 'nonsense'],
    ['badly signed', (token: string) => `${token.slice(0, -6)}AAAAAA`],
  ])('refuses an id_token_hint that is %s and ends no session', async (_, change) => {
    const booted = await boot();
    const { browser, id_token } = await signInAda(booted);

    const page = await browser.open(
      logoutUrl({ id_token_hint: change(id_token), post_logout_redirect_uri: BYE }),
    );

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('id_token_hint invalid.')]);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it('refuses an access token as id_token_hint', async () => {
    const booted = await boot();

    const page = await new Browser(booted).open(logoutUrl({ id_token_hint: booted.token }));

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('id_token_hint invalid.')]);
  });

  it('refuses a client_id that differs from the audience of the hint', async () => {
    const booted = await boot();
    const { browser, id_token } = await signInAda(booted);
    const parameters = {
      id_token_hint: id_token,
      client_id: PORTAL.client_id,
      post_logout_redirect_uri: PORTAL_BYE,
    };

    const page = await browser.open(logoutUrl(parameters));

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('client_id is not the one')]);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it.each([
    ['another address', 'https://evil.example/signed-out'],
    ['a longer path', `${PORTAL_BYE}/more`],
    ['a script', 'javascript:alert(1)'],
  ])('refuses an unregistered redirect address: %s', async (_, post_logout_redirect_uri) => {
    const booted = await boot();
    const { browser } = await signInAda(booted);

    const page = await browser.open(logoutUrl({ client_id: PORTAL.client_id, post_logout_redirect_uri }));

    expect([page.status, page.text]).toEqual([
      400,
      expect.stringContaining(`post_logout_redirect_uri invalid: ${post_logout_redirect_uri}.`),
    ]);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it('refuses a redirect address that is registered for another client only', async () => {
    const booted = await boot();
    const { browser, id_token } = await signInAda(booted);
    const uris = { post_logout_redirect_uris: [BYE] };
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send(uris).expect(200);

    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: PORTAL_BYE };
    const page = await browser.open(logoutUrl(parameters));

    expect(page.status).toBe(400);
  });

  it.each([
    ['in its registered form', 'https://{{org_slug}}.example.com/{{plan}}/bye'],
    ['with the values of the organization', 'https://acme.example.com/enterprise/bye'],
  ])('fills the organization of the session into a redirect address given %s', async (_, address) => {
    const booted = await boot();
    const uris = { post_logout_redirect_uris: ['https://{{org_slug}}.example.com/{{plan}}/bye'] };
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send(uris).expect(200);
    const { browser, id_token } = await signInAda(booted);
    expect((await sessionsOf(booted))[0]).toMatchObject({ organization_id: ACME });

    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: address };
    const left = await browser.open(logoutUrl(parameters));

    expect(left.url).toBe('https://acme.example.com/enterprise/bye');
  });

  it('finds the environment by the id_token_hint', async () => {
    const booted = await boot();
    const { control } = await booted.environment('other');
    const { body } = await control.get('/state/clients').expect(200);
    const own = body.rows.find(({ id }: { id: string }) => id.startsWith('skc_other_'));
    const client = { client_id: own.id, client_secret: own.secrets[0].secret };
    const page = await new Browser(booted).open(authorizeUrl({ client_id: own.id }));
    const back = await page.submit({ user_id: 'usr_10000000000000101' });
    const form = { ...exchange(back.query('code')!), ...client };
    const tokens = await ask(booted.anonymous, form).expect(200);

    const parameters = { id_token_hint: tokens.body.id_token, post_logout_redirect_uri: BYE };
    const left = await new Browser(booted).open(logoutUrl(parameters));
    const posted = await new Browser(booted).send('/oidc/logout', parameters);

    expect([left.url, posted.url]).toEqual([BYE, BYE]);
    expect(await sessionsOf({ control })).toMatchObject([{ status: 'logout' }]);
  });
});

describe('Logout_Confirm', () => {
  it('ends the session after the user confirms and redirects to the application', async () => {
    const booted = await boot();
    const { browser } = await signInAda(booted);
    const parameters = { client_id: PORTAL.client_id, post_logout_redirect_uri: PORTAL_BYE, state: 's1' };

    const question = await browser.open(logoutUrl(parameters));
    expect(question.text).toContain('You are signed in as <strong>ada@acme.example</strong>.');
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
    const left = await question.submit();

    expect(left.url).toBe(`${PORTAL_BYE}?state=s1`);
    expect(browser.cookies.has('understudy_session')).toBe(false);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('ends on a page without a redirect address, and a repeated logout shows the same page', async () => {
    const booted = await boot();
    const { browser } = await signInAda(booted);

    const left = await (await browser.open('/oidc/logout')).submit();
    const again = await browser.open('/oidc/logout');

    expect(left.text).toContain('You are signed out');
    expect(again.text).toContain('You are signed out');
  });

  it('refuses a form without the CSRF token of this browser', async () => {
    const booted = await boot();
    const { browser } = await signInAda(booted);
    const other = await signInAda(booted, 'usr_10000000000000102');
    const otherPage = await other.browser.open('/oidc/logout');
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(otherPage.text) ?? [];

    const bare = await browser.send('/ui/logout', {});
    const forged = await browser.send('/ui/logout', { csrf_token });

    expect([bare.status, forged.status]).toEqual([400, 400]);
    expect(csrf_token).toHaveLength(43);
    expect((await sessionsOf(booted)).map(({ status }) => status)).toEqual(['active', 'active']);
  });

  it('refuses an unregistered redirect address in the form', async () => {
    const booted = await boot();
    const { browser } = await signInAda(booted);
    const question = await browser.open(logoutUrl({ client_id: PORTAL.client_id }));

    const left = await question.submit({ post_logout_redirect_uri: 'https://evil.example' });

    expect(left.status).toBe(400);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it('escapes the parameters on the page', async () => {
    const booted = await boot();
    const { browser } = await signInAda(booted);

    const page = await browser.open(logoutUrl({ state: '"><script>alert(1)</script>' }));

    expect(page.text).not.toContain('<script>');
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;');
  });
});

it('is announced as end_session_endpoint in the discovery document', async () => {
  const { anonymous } = await boot();

  const { body } = await anonymous.get('/.well-known/openid-configuration').expect(200);

  expect(body.end_session_endpoint).toBe(`${body.issuer}/oidc/logout`);
});
