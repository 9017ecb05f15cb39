import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { toldBy, typesOf } from '../support/events.ts';
import { atProvider, patchRow } from '../support/sso.ts';
import { receiver } from '../support/receiver.ts';
import { fromProvider, withMailedCode, withoutPage } from '../operations/sign-in-ways.ts';
import { FIXED, intercept, latest, SILENCE } from './support.ts';
import { ask, exchange, refresh, tokensOf, verified } from '../operations/oauth-support.ts';
import {
  ADA,
  NINA,
  authorizeUrl,
  expectCode,
  expectError,
  lastRow,
  rows,
  signedIn,
} from '../operations/sign-in-support.ts';
import { ACME, NORDWIND } from '../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const TRIGGER = 'PRE_SESSION_CREATION';
const DENY = { decision: 'DENY', error: { message: 'Your plan ended: call Grace' } };
const OKTA = { id: 'conn_10000000000000251', type: 'OIDC', provider: 'OKTA' };

/** Creates an interceptor of session creation with the given answer. */
async function addInterceptor({ api }: Booted, answer: object = { decision: 'ALLOW' }, wanted: object = {}) {
  const server = await receiver(answer);
  const { id } = await intercept(api, { trigger_point: TRIGGER, api_url: server.url, ...wanted });
  return { ...server, id };
}

const addUnreachable = (booted: Booted, failure_policy: string) =>
  intercept(booted.api, { trigger_point: TRIGGER, api_url: SILENCE, failure_policy });

/** The rows that a denied sign-in must not change. */
const results = async ({ control }: Booted) =>
  Promise.all(
    ['sessions', 'authorization_codes', 'refresh_tokens', 'users'].map((each) => rows(control, each)),
  );

describe('interceptor.PRE_SESSION_CREATION', () => {
  it('receives the user, the organization, the connection and the device', async () => {
    const booted = await boot({ now: NOW });
    const { received } = await addInterceptor(booted);
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15';

    await booted.anonymous
      .get(authorizeUrl({ login_hint: ADA.email, understudy_auto: '1', organization_id: ACME }))
      .set({ 'user-agent': agent, 'x-forwarded-for': '203.0.113.7, 10.0.0.1' })
      .expect(302);

    expect(received.map(({ body }) => body)).toEqual([
      {
        display_name: 'Gate',
        trigger_point: TRIGGER,
        interceptor_context: {
          environment_id: 'env_10000000000000001',
          user_id: ADA.id,
          user_email: ADA.email,
          organization_id: ACME,
          connection_details: [OKTA],
          user_agent: agent,
          device_type: 'Mobile',
          ip_address: '203.0.113.7',
          triggered_at: NOW,
        },
        data: {
          user: {
            id: ADA.id,
            name: 'Ada Byrne',
            email: ADA.email,
            email_verified: true,
            created_at: expect.any(String),
            updated_at: expect.any(String),
            first_name: 'Ada',
            last_name: 'Byrne',
            memberships: [{ organization_id: ACME, status: 'ACTIVE' }],
          },
        },
      },
    ]);
  });

  it.each<[string, (booted: Booted) => Promise<unknown>]>([
    ['on the sign-in page', (b) => signedIn(b, ADA)],
    ['at an identity provider', async (b) => (await atProvider(b)).submit({}, 'value="ada@acme.example"')],
    ['with a mailed code', withMailedCode],
    ['without a page (auto_login)', withoutPage],
    ['that the identity provider starts', fromProvider],
  ])('is called for a sign-in %s', async (_, run) => {
    const booted = await boot();
    const { received } = await addInterceptor(booted);

    await run(booted);

    expect(received).toHaveLength(1);
  });

  it('is called again when the user switches to another organization', async () => {
    const booted = await boot();
    const { browser, visit } = await signedIn(booted, NINA);
    expectCode(await visit.submit({ organization_id: NORDWIND }));
    const { received, answers } = await addInterceptor(booted);

    expectCode(await browser.open(authorizeUrl({ organization_id: ACME })));
    answers(DENY);
    const denied = await browser.open(authorizeUrl({ organization_id: NORDWIND }));

    expect(received.map(({ body }) => body['interceptor_context'] as object)).toMatchObject([
      { organization_id: ACME },
      { organization_id: NORDWIND },
    ]);
    expect(denied.status).toBe(403);
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({
      status: 'active',
      organization_id: ACME,
    });
  });

  it('shows the denial to the user and offers a link with the error to the application', async () => {
    const booted = await boot();
    const { id } = await addInterceptor(booted, DENY);
    const before = await results(booted);

    const { visit } = await signedIn(booted, ADA, { state: 'mine' });

    expect(visit.status).toBe(403);
    expect(visit.text).toContain('Your plan ended: call Grace</p>');
    const back = new URL(
      /href="(http:\/\/localhost:3000[^"]*)"/.exec(visit.text)![1]!.replaceAll('&amp;', '&'),
    );
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'Your plan ended: call Grace',
      state: 'mine',
      iss: 'http://localhost:8080',
    });
    expect(await results(booted)).toEqual(before);
    expect(await lastRow(booted.control, 'auth_logs')).toMatchObject({ status: 'FAILED', email: ADA.email });
    expect(await lastRow(booted.control, 'login_transactions')).toMatchObject({ status: 'FAILED' });
    expect(await latest(booted.control)).toMatchObject({
      operation: 'LoginPage_SignIn',
      status: 403,
      interceptors: [{ interceptor_id: id, trigger_point: TRIGGER, decision: 'DENY' }],
    });
  });

  it('suppresses the login event and redirects with the error when the sign-in has no page', async () => {
    const booted = await boot();
    await addInterceptor(booted, DENY);

    const events = await toldBy(booted.api, async () => {
      const parameters = { login_hint: ADA.email, understudy_auto: '1' };
      const visit = await new Browser(booted).open(authorizeUrl(parameters));
      expectError(visit, 'access_denied');
      expect(visit.query('error_description')).toBe('Your plan ended: call Grace');
    });

    expect(typesOf(events)).toEqual([]);
  });

  it('denies with the default message when it gives none', async () => {
    const booted = await boot();
    await addInterceptor(booted, { decision: 'DENY' });

    expect((await signedIn(booted, ADA)).visit.text).toContain(FIXED);
  });

  it('has its message escaped on the page', async () => {
    const booted = await boot();
    await addInterceptor(booted, { decision: 'DENY', error: { message: '<script>alert(1)</script>' } });

    const { visit } = await signedIn(booted, ADA);

    expect(visit.text).toContain('&lt;script&gt;alert(1)');
  });

  it('follows its failure policy when it is unreachable', async () => {
    const open = await boot();
    await addUnreachable(open, 'FAIL_OPEN');
    const closed = await boot();
    await addUnreachable(closed, 'FAIL_CLOSED');

    expectCode((await signedIn(open, ADA)).visit);
    const { visit } = await signedIn(closed, ADA);

    expect(visit.status).toBe(403);
    expect(visit.text).toContain(FIXED);
    expect(await latest(closed.control)).toMatchObject({
      interceptors: [{ decision: 'DENY', policy: 'FAIL_CLOSED', error: expect.any(String) }],
    });
  });

  it('adds custom claims to the access token, and refreshed access tokens keep them', async () => {
    const booted = await boot({ now: NOW });
    const claims = { tier: 'gold', limits: { seats: 3 }, custom_claims: { region: 'EU' } };
    const { received, answers } = await addInterceptor(booted, { decision: 'ALLOW', response: { claims } });

    const first = await tokensOf(booted);
    answers(DENY);
    const second = await ask(booted.anonymous, refresh(first.refresh_token)).expect(200);
    const third = await ask(booted.anonymous, refresh(second.body.refresh_token)).expect(200);

    const custom_claims = { tier: 'gold', limits: { seats: 3 }, region: 'EU' };
    for (const { access_token } of [first, second.body, third.body])
      expect(await verified(booted, access_token)).toMatchObject({ custom_claims, sub: ADA.id });
    expect(await verified(booted, first.id_token)).not.toHaveProperty('custom_claims');
    expect(received).toHaveLength(1);
  });

  it('cannot overwrite the standard claims of the access token', async () => {
    const booted = await boot({ now: NOW });
    await addInterceptor(booted, { decision: 'ALLOW', response: { claims: { sub: 'root', aud: ['all'] } } });

    const claims = await verified(booted, (await tokensOf(booted)).access_token);

    expect(claims).toMatchObject({ sub: ADA.id, custom_claims: { sub: 'root', aud: ['all'] } });
  });

  it('leaves the access token unchanged when its claims are empty', async () => {
    const booted = await boot({ now: NOW });
    await addInterceptor(booted, { decision: 'ALLOW', response: { claims: {} } });

    expect(await verified(booted, (await tokensOf(booted)).access_token)).not.toHaveProperty('custom_claims');
  });

  it('is called in turn with the other enabled interceptors until one denies', async () => {
    const booted = await boot({ now: NOW });
    const claims = (tier: string, more: object) => ({
      decision: 'ALLOW',
      response: { claims: { tier, ...more } },
    });
    const first = await addInterceptor(booted, claims('silver', { from: 'first' }));
    const off = await addInterceptor(booted, DENY);
    await booted.api.patch(`/api/v1/interceptors/${off.id}:disable`).expect(200);
    const last = await addInterceptor(booted, claims('gold', {}));

    const { access_token } = await tokensOf(booted);
    first.answers(DENY);
    const { visit } = await signedIn(booted, ADA);

    expect(await verified(booted, access_token)).toMatchObject({
      custom_claims: { tier: 'gold', from: 'first' },
    });
    expect(visit.status).toBe(403);
    expect([first, off, last].map(({ received }) => received.length)).toEqual([2, 0, 1]);
  });

  it('is not called when full-stack authentication is off', async () => {
    const booted = await boot();
    const { received } = await addInterceptor(booted, DENY);
    const page = await atProvider(booted);
    await patchRow(booted.control, 'settings', 'settings', { full_stack_auth: false });

    const visit = await page.submit({}, 'value="ada@acme.example"');

    expectCode(visit);
    expect(received).toEqual([]);
  });

  it('is not called when a code is exchanged for tokens', async () => {
    const booted = await boot();
    const { visit } = await signedIn(booted, ADA);
    const { received } = await addInterceptor(booted, DENY);

    await ask(booted.anonymous, exchange(visit.query('code')!)).expect(200);

    expect(received).toEqual([]);
  });
});

describe('interceptor.POST_USER_AUTHENTICATION', () => {
  const trigger_point = 'POST_USER_AUTHENTICATION';

  it('receives the user and is called before PRE_SESSION_CREATION', async () => {
    const booted = await boot({ now: NOW });
    const order: unknown[] = [];
    const answer = (response: { end(text: string): void }, { body }: { body: object }) => {
      order.push(body);
      response.end('{"decision":"ALLOW"}');
    };
    await addInterceptor(booted, answer);
    await addInterceptor(booted, answer, { trigger_point });

    await (await atProvider(booted)).submit({}, 'value="ada@acme.example"');

    expect(order).toMatchObject([{ trigger_point }, { trigger_point: TRIGGER }]);
    expect(order[0]).toMatchObject({
      interceptor_context: { user_id: ADA.id, organization_id: ACME, connection_details: [OKTA] },
      data: {
        user: {
          id: ADA.id,
          email_verified: true,
          memberships: [{ organization_id: ACME, status: 'ACTIVE' }],
          custom_attributes: {},
          raw_attributes: expect.any(Object),
        },
      },
    });
  });

  it('denies a sign-in and is not called when the user continues with a session', async () => {
    const booted = await boot();
    const { browser } = await signedIn(booted, ADA);
    const { received } = await addInterceptor(booted, DENY, { trigger_point });

    expectCode(await browser.open(authorizeUrl()));
    expect(received).toEqual([]);
    const { visit } = await signedIn(booted, ADA);

    expect(visit.status).toBe(403);
    expect(visit.text).toContain('Your plan ended: call Grace');
  });
});
