import { describe, expect, it } from 'vitest';
import {
  ask,
  authorizeUrl,
  codeOf,
  exchange,
  OWN,
  PKCE,
  PORTAL,
  PORTAL_CALLBACK,
  VERIFIER,
} from '../operations/oauth-support.ts';
import { boot } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';

describe('a sign-in', () => {
  it('is bound to the browser that started it', async () => {
    const booted = await boot();
    const started = await new Browser(booted).open(authorizeUrl());
    const other = new Browser(booted);

    expect((await other.open(started.url)).status).toBe(403);
    await other.open(authorizeUrl());
    expect((await other.open(started.url)).status).toBe(403);
    expect((await other.send(started.url, formOf(started.text))).status).toBe(403);
  });

  it('refuses the form of another sign-in in the same browser', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const one = await browser.open(authorizeUrl());
    const other = await browser.open(authorizeUrl());

    const sent = await browser.send(one.url, formOf(other.text));

    expect(sent.status).toBe(400);
  });

  it('ends with the redirect to the application', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await browser.open(authorizeUrl());
    await page.submit({ user_id: 'usr_10000000000000101' });

    const again = await page.submit({ user_id: 'usr_10000000000000101' });

    expect([again.status, again.url]).toEqual([410, page.url]);
  });

  it('redirects without a state when the application sent none', async () => {
    const booted = await boot();

    const back = await (
      await new Browser(booted).open(authorizeUrl())
    ).submit({ user_id: 'usr_10000000000000101' });

    expect([...new URL(back.url).searchParams.keys()]).toEqual(['code', 'iss']);
  });
});

describe('an authorization code', () => {
  it('is refused for another client and stays valid for its own', async () => {
    const booted = await boot();
    const code = await codeOf(booted);

    const stolen = await ask(booted.anonymous, { ...exchange(code), ...PORTAL }).expect(400);
    expect(stolen.body.error).toBe('invalid_grant');
    await ask(booted.anonymous, exchange(code)).expect(200);
  });

  it('is refused with another redirect_uri', async () => {
    const booted = await boot();

    const form = { ...exchange(await codeOf(booted)), redirect_uri: PORTAL_CALLBACK };

    expect((await ask(booted.anonymous, form).expect(400)).body.error).toBe('invalid_grant');
  });

  it.each([
    ['no verifier', {}],
    ['an empty verifier', { code_verifier: '' }],
    ['the challenge as verifier', { code_verifier: PKCE.code_challenge }],
    ['another verifier', { code_verifier: `${VERIFIER}x` }],
  ])('with PKCE is refused with %s', async (_, sent) => {
    const booted = await boot();

    const form = { ...exchange(await codeOf(booted, PKCE)), ...(sent as Record<string, string>) };

    await ask(booted.anonymous, form).expect(400);
  });

  it.each(['plain', 'none', 'S512'])('cannot use the PKCE method %s', async (code_challenge_method) => {
    const booted = await boot();

    const page = await new Browser(booted).open(authorizeUrl({ ...PKCE, code_challenge_method }));

    expect(page.query('error')).toBe('invalid_request');
  });

  it('without PKCE is refused with a code_verifier', async () => {
    const booted = await boot();

    const form = { ...exchange(await codeOf(booted)), code_verifier: VERIFIER };

    await ask(booted.anonymous, form).expect(400);
  });
});

describe('the session and the code of one environment', () => {
  it('are not valid in another', async () => {
    const booted = await boot();
    await booted.environment('blue');
    const [{ id: client_id }] = (
      await booted.control.get('/state').set('understudy-environment', 'blue').expect(200)
    ).body.clients.filter(({ id }: { id: string }) => id.startsWith('skc_blue'));
    const browser = new Browser(booted);
    const page = await browser.open(authorizeUrl({ client_id, prompt: 'login' }));
    const back = await page.submit({ user_id: 'usr_10000000000000101' });
    expect(back.query('code')).toMatch(/^blue\./);

    // The session and the code of `blue` are not valid in `default`.
    const silent = await browser.open(authorizeUrl({ prompt: 'none' }));
    expect(silent.query('error')).toBe('login_required');
    expect((await ask(booted.anonymous, { ...exchange(back.query('code')!), ...OWN })).status).toBe(400);
    // A session of `default` is not valid in `blue`.
    const own = new Browser(booted);
    await (await own.open(authorizeUrl())).submit({ user_id: 'usr_10000000000000101' });
    const there = await own.open(authorizeUrl({ client_id, prompt: 'none' }));
    expect(there.query('error')).toBe('login_required');
  });
});

describe('cookies', () => {
  it.each([
    ['http://localhost:8080', ''],
    ['https://auth.acme.example', '; Secure'],
  ])('of %s are HttpOnly and SameSite=Lax%s', async (baseUrl, secure) => {
    const { anonymous } = await boot({ baseUrl });

    const started = await anonymous.get(authorizeUrl()).expect(302);
    const [login = ''] = started.headers['set-cookie'] as unknown as string[];
    const cookie = login.slice(0, login.indexOf(';'));
    const page = await anonymous.get(new URL(started.headers['location']!).pathname).set({ cookie });
    const done = await anonymous
      .post(new URL(started.headers['location']!).pathname)
      .set({ cookie })
      .type('form')
      .send({ ...formOf(page.text), user_id: 'usr_10000000000000101' })
      .expect(303);
    const [session] = done.headers['set-cookie'] as unknown as string[];

    const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure}`;
    expect(login).toMatch(new RegExp(`^understudy_login=[\\w-]{20,}${attributes}$`));
    expect(session).toMatch(new RegExp(`^understudy_session=[\\w-]{20,}${attributes}`));
  });
});

/** The fields of the first form on a page. */
function formOf(markup: string): Record<string, string> {
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(markup)?.[1] ?? '';
  return { csrf_token, user_id: 'usr_10000000000000101' };
}
