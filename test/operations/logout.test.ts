import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { later } from '../support/later.ts';
import { ask, authorizeUrl, exchange, OWN, PORTAL } from './oauth-support.ts';

const BYE = 'http://localhost:3000/bye';
const PORTAL_BYE = 'https://app.example.com/signed-out';
const ACME = 'org_10000000000000001';

/** Ada in her browser, signed in, with the id_token that the application got. */
async function adaSignedIn(booted: Booted, user_id = 'usr_10000000000000101') {
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

const logoutUrl = (asked: Record<string, string>) => `/oidc/logout?${new URLSearchParams(asked)}`;

/** Those of the browsers; the fixture's are there before. */
async function sessionsOf({ control }: Pick<Booted, 'control'>) {
  const { body } = await control.get('/state/sessions').expect(200);
  return body.rows.filter(({ cookie }: { cookie?: string }) => cookie) as Record<string, string>[];
}

describe('Logout_EndSession', () => {
  it('ends the session, forgets the cookie, and leads back to the application with its state', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { browser, id_token } = await adaSignedIn(booted);
    expect(browser.cookies.has('understudy_session')).toBe(true);

    const asked = { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 's 1&2' };
    const left = await browser.open(logoutUrl(asked));

    expect(left.url).toBe(`${BYE}?state=s%201%262`);
    expect(browser.cookies.has('understudy_session')).toBe(false);
    const logout_at = '2030-01-01T00:00:00.000Z';
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout', logout_at }]);
    const again = await browser.open(authorizeUrl());
    expect(again.text).toContain('for="email"');
  });

  it('shows that the user is signed out where the application names no address', async () => {
    const booted = await boot();
    const { browser, id_token } = await adaSignedIn(booted);

    const page = await browser.open(logoutUrl({ id_token_hint: id_token }));

    expect(page.text).toContain('You are signed out');
    expect(browser.cookies.has('understudy_session')).toBe(false);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('takes what a form sends, also where no cookie comes with it', async () => {
    const booted = await boot();
    const { id_token } = await adaSignedIn(booted);
    const elsewhere = new Browser(booted);

    const left = await elsewhere.send('/oidc/logout', {
      id_token_hint: id_token,
      post_logout_redirect_uri: BYE,
      state: 'x',
    });

    expect(left.url).toBe(`${BYE}?state=x`);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('takes a hint that has expired', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { browser, id_token } = await adaSignedIn(booted);
    await later(booted, '31m');

    const left = await browser.open(logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: BYE }));

    expect(left.url).toBe(BYE);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('leaves a session alone that another user has begun in the browser since', async () => {
    const booted = await boot();
    const { browser, id_token } = await adaSignedIn(booted);
    await signIn(booted, browser, 'usr_10000000000000102');

    await browser.open(logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: BYE }));

    expect((await sessionsOf(booted)).map(({ status }) => status)).toEqual(['logout', 'active']);
    expect(browser.cookies.has('understudy_session')).toBe(true);
  });

  it.each([
    ['malformed', () => 'nonsense'],
    ['signed by nobody', (token: string) => `${token.slice(0, -6)}AAAAAA`],
  ])('refuses a hint that is %s, and ends nothing', async (_, change) => {
    const booted = await boot();
    const { browser, id_token } = await adaSignedIn(booted);

    const page = await browser.open(
      logoutUrl({ id_token_hint: change(id_token), post_logout_redirect_uri: BYE }),
    );

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('id_token_hint invalid.')]);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it('refuses an access token as a hint', async () => {
    const booted = await boot();

    const page = await new Browser(booted).open(logoutUrl({ id_token_hint: booted.token }));

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('id_token_hint invalid.')]);
  });

  it('refuses another client than the one that the hint was made for', async () => {
    const booted = await boot();
    const { browser, id_token } = await adaSignedIn(booted);
    const asked = {
      id_token_hint: id_token,
      client_id: PORTAL.client_id,
      post_logout_redirect_uri: PORTAL_BYE,
    };

    const page = await browser.open(logoutUrl(asked));

    expect([page.status, page.text]).toEqual([400, expect.stringContaining('client_id is not the one')]);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it.each([
    ['another address', 'https://evil.example/signed-out'],
    ['a longer one', `${PORTAL_BYE}/more`],
    ['a script', 'javascript:alert(1)'],
  ])('leads to no address that is not registered: %s', async (_, post_logout_redirect_uri) => {
    const booted = await boot();
    const { browser } = await adaSignedIn(booted);

    const page = await browser.open(logoutUrl({ client_id: PORTAL.client_id, post_logout_redirect_uri }));

    expect([page.status, page.text]).toEqual([
      400,
      expect.stringContaining(`post_logout_redirect_uri invalid: ${post_logout_redirect_uri}.`),
    ]);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it('does not lead to the address of another client than the one that asks', async () => {
    const booted = await boot();
    const { browser, id_token } = await adaSignedIn(booted);
    const uris = { post_logout_redirect_uris: [BYE] };
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send(uris).expect(200);

    const asked = { id_token_hint: id_token, post_logout_redirect_uri: PORTAL_BYE };
    const page = await browser.open(logoutUrl(asked));

    expect(page.status).toBe(400);
  });

  it.each([
    ['as it is registered', 'https://{{org_slug}}.example.com/{{plan}}/bye'],
    ['as it is for the organization', 'https://acme.example.com/enterprise/bye'],
  ])('writes the organization of the session into an address that is given %s', async (_, address) => {
    const booted = await boot();
    const uris = { post_logout_redirect_uris: ['https://{{org_slug}}.example.com/{{plan}}/bye'] };
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send(uris).expect(200);
    const { browser, id_token } = await adaSignedIn(booted);
    expect((await sessionsOf(booted))[0]).toMatchObject({ organization_id: ACME });

    const asked = { id_token_hint: id_token, post_logout_redirect_uri: address };
    const left = await browser.open(logoutUrl(asked));

    expect(left.url).toBe('https://acme.example.com/enterprise/bye');
  });

  it('finds the environment by the hint', async () => {
    const booted = await boot();
    const { control } = await booted.environment('other');
    const { body } = await control.get('/state/clients').expect(200);
    const own = body.rows.find(({ id }: { id: string }) => id.startsWith('skc_other_'));
    const client = { client_id: own.id, client_secret: own.secrets[0].secret };
    const page = await new Browser(booted).open(authorizeUrl({ client_id: own.id }));
    const back = await page.submit({ user_id: 'usr_10000000000000101' });
    const form = { ...exchange(back.query('code')!), ...client };
    const tokens = await ask(booted.anonymous, form).expect(200);

    const asked = { id_token_hint: tokens.body.id_token, post_logout_redirect_uri: BYE };
    const left = await new Browser(booted).open(logoutUrl(asked));
    const posted = await new Browser(booted).send('/oidc/logout', asked);

    expect([left.url, posted.url]).toEqual([BYE, BYE]);
    expect(await sessionsOf({ control })).toMatchObject([{ status: 'logout' }]);
  });
});

describe('Logout_Confirm', () => {
  it('ends the session once the user says so, and leads back to the application', async () => {
    const booted = await boot();
    const { browser } = await adaSignedIn(booted);
    const asked = { client_id: PORTAL.client_id, post_logout_redirect_uri: PORTAL_BYE, state: 's1' };

    const question = await browser.open(logoutUrl(asked));
    expect(question.text).toContain('You are signed in as <strong>ada@acme.example</strong>.');
    expect(question.response!.headers['content-security-policy']).toContain(
      "form-action 'self' https://app.example.com;",
    );
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
    const left = await question.submit();

    expect(left.url).toBe(`${PORTAL_BYE}?state=s1`);
    expect(browser.cookies.has('understudy_session')).toBe(false);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'logout' }]);
  });

  it('ends on a page where nobody has named an address; asked again, nobody is signed in', async () => {
    const booted = await boot();
    const { browser } = await adaSignedIn(booted);

    const left = await (await browser.open('/oidc/logout')).submit();
    const again = await browser.open('/oidc/logout');

    expect(left.text).toContain('You are signed out');
    expect(again.text).toContain('You are signed out');
  });

  it('takes no form that another site has made', async () => {
    const booted = await boot();
    const { browser } = await adaSignedIn(booted);
    const other = await adaSignedIn(booted, 'usr_10000000000000102');
    const foreign = await other.browser.open('/oidc/logout');
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(foreign.text) ?? [];

    const bare = await browser.send('/ui/logout', {});
    const forged = await browser.send('/ui/logout', { csrf_token });

    expect([bare.status, forged.status]).toEqual([400, 400]);
    expect(csrf_token).toHaveLength(43);
    expect((await sessionsOf(booted)).map(({ status }) => status)).toEqual(['active', 'active']);
  });

  it('leads to no address that is not registered, whatever its form says', async () => {
    const booted = await boot();
    const { browser } = await adaSignedIn(booted);
    const question = await browser.open(logoutUrl({ client_id: PORTAL.client_id }));

    const left = await question.submit({ post_logout_redirect_uri: 'https://evil.example' });

    expect(left.status).toBe(400);
    expect(await sessionsOf(booted)).toMatchObject([{ status: 'active' }]);
  });

  it('writes what it is sent into the page as text', async () => {
    const booted = await boot();
    const { browser } = await adaSignedIn(booted);

    const page = await browser.open(logoutUrl({ state: '"><script>alert(1)</script>' }));

    expect(page.text).not.toContain('<script>');
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;');
  });
});

it('is said in the discovery document where applications find it', async () => {
  const { anonymous } = await boot();

  const { body } = await anonymous.get('/.well-known/openid-configuration').expect(200);

  expect(body.end_session_endpoint).toBe(`${body.issuer}/oidc/logout`);
});
