import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { askForToken, claimsIn, intercept, SILENCE, TRIGGER } from '../interceptors/support.ts';
import { tokensOf } from '../operations/oauth-support.ts';
import { authorizeUrl, expectCode, mailCodes } from '../operations/sign-in-support.ts';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { NORDWIND } from '../support/fixture-ids.ts';
import { portalLink } from '../support/portal.ts';

const GOOGLE_OF_NORDWIND = 'dir_10000000000000603';
const YUKI = 'yuki@lumen.example';
const load = ({ control }: Booted, name: string, params: object = {}) =>
  control.post('/scenarios').send({ name, params }).expect(201);

async function lastCode({ control }: Booted): Promise<string> {
  const { body } = await control.get('/mail').expect(200);
  return body.mails.at(-1).code as string;
}

describe('scenario code-wrong', () => {
  it('refuses the code on the sign-in page until another one is mailed', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'OTP' });
    const page = await (await new Browser(booted).open(authorizeUrl())).submit({ email: YUKI });
    await load(booted, 'code-wrong');
    const code = await lastCode(booted);

    const refused = await page.submit({ code });
    const again = await refused.submit({ code });
    const resent = await again.submit({}, '/resend');

    expect([refused.status, again.status]).toEqual([400, 400]);
    expectCode(await resent.submit({ code: await lastCode(booted) }));
  });

  it('refuses the code of the passwordless API', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'OTP' });
    const send = booted.api.post('/api/v1/passwordless/email/send').send({ email: YUKI });
    const { auth_request_id } = (await send.expect(200)).body;
    await load(booted, 'code-wrong');

    const wanted = { auth_request_id, code: await lastCode(booted) };
    const { body } = await booted.api.post('/api/v1/passwordless/email/verify').send(wanted).expect(400);

    expect(body.message).toBe('code is wrong');
  });
});

describe('scenario sign-in-denied', () => {
  const CONNECTION = 'conn_10000000000000252';
  const askedFor = (connection: string) => `${authorizeUrl()}&state=kept&connection_id=${connection}`;

  it('returns to the application with the error of an identity provider, as often as wanted', async () => {
    const booted = await boot();
    await load(booted, 'sign-in-denied', { error: 'user_not_active', connection_id: CONNECTION, times: 1 });

    const other = await booted.anonymous.get(askedFor('conn_10000000000000999'));
    const { headers } = await booted.anonymous.get(askedFor(CONNECTION)).expect(302);
    const next = await booted.anonymous.get(askedFor(CONNECTION));

    const { searchParams } = new URL(headers['location']!);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: 'user_not_active',
      error_description: 'the identity provider refused the user',
      state: 'kept',
    });
    for (const { headers: served } of [other, next])
      expect(served['location'] ?? '').not.toContain('user_not_active');
  });

  it('denies every sign-in without parameters, and one without a state', async () => {
    const booted = await boot();
    await load(booted, 'sign-in-denied');

    const { headers } = await booted.anonymous.get(authorizeUrl()).expect(302);

    expect(headers['location']).toContain('error=access_denied&');
  });
});

describe('scenario sign-in-expired', () => {
  it('ends the sign-ins that have begun, and no new one', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await browser.open(authorizeUrl());
    await load(booted, 'sign-in-expired');

    const late = await page.submit({ user_id: 'usr_10000000000000101' });

    expect([late.status, late.text.includes('This sign-in is over')]).toEqual([410, true]);
    expectCode(await (await browser.open(authorizeUrl())).submit({ user_id: 'usr_10000000000000101' }));
  });

  it('is told by the sign-in API', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    await browser.open(authorizeUrl());
    await load(booted, 'sign-in-expired');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

    const { body } = await booted.anonymous.get('/api/v1/authmethods').set('cookie', cookie).expect(404);

    expect(body.message).toContain('no sign-in is running in this browser');
  });
});

describe('scenario login-request-expired', () => {
  it.each([{}, { login_request_id: 'lri_10000000000000699' }])('answers 400: %j', async (params) => {
    const booted = await boot();
    await new Browser(booted).open(authorizeUrl());
    const { rows } = (await booted.control.get('/state/login_transactions').expect(200)).body;
    const row = {
      connection_id: 'conn_10000000000000253',
      auth_request_id: rows[0].id,
      status: 'PENDING',
      expires_at: 'now+10m',
    };
    await booted.control.put('/state/login_requests/lri_10000000000000699').send(row).expect(200);
    const ask = () => booted.api.get('/api/v1/auth-requests/lri_10000000000000699');
    await ask().expect(200);

    await load(booted, 'login-request-expired', params);

    await ask().expect(400);
  });
});

describe('scenario portal-link-expired', () => {
  it.each([{}, { organization_id: NORDWIND }])('shows that the link has expired: %j', async (params) => {
    const booted = await boot();
    const link = await portalLink(booted.api);
    await load(booted, 'portal-link-expired', params);

    const late = await booted.anonymous.get(link);
    const fresh = await booted.anonymous.get(await portalLink(booted.api));

    expect([late.status, fresh.status]).toEqual([410, 302]);
  });
});

describe('scenario directory-sync-failed', () => {
  it('syncs nothing', async () => {
    const booted = await boot();
    await load(booted, 'directory-sync-failed', { times: 1 });
    const path = `/api/v1/organizations/${NORDWIND}/directories/${GOOGLE_OF_NORDWIND}:sync`;

    const { body } = await booted.api.get(path).expect(503);
    const before = (await booted.control.get(`/state/directories/${GOOGLE_OF_NORDWIND}`)).body;
    await booted.api.get(path).expect(200);
    const after = (await booted.control.get(`/state/directories/${GOOGLE_OF_NORDWIND}`)).body;

    expect(body.message).toBe('the provider of the directory does not answer');
    expect(before.status).not.toBe('COMPLETED');
    expect(after.status).toBe('COMPLETED');
  });
});

describe('scenario tool-version-missing', () => {
  it('answers 404 for the tool that is given', async () => {
    const booted = await boot();
    const choose = (name: string) =>
      booted.api.post('/api/v1/tools:set_default').send({ name, schema_version: '1', tool_version: '1' });
    await load(booted, 'tool-version-missing', { tool_name: 'gmail_fetch_mails' });

    expect((await choose('gmail_fetch_mails')).body.message).toBe('the tool has no such version');
    expect((await choose('notion_page_get')).body.message).not.toBe('the tool has no such version');
  });
});

describe('scenario interceptor-claims', () => {
  it('gives the claims of a session without an interceptor', async () => {
    const booted = await boot();
    await load(booted, 'interceptor-claims', { claims: { plan: 'team', seats: 3 } });

    const { access_token } = await tokensOf(booted);

    expect(decodeJwt(access_token)).toMatchObject({ custom_claims: { plan: 'team', seats: 3 } });
  });

  it('gives them in place of an interceptor whose template is not evaluated, once', async () => {
    const booted = await boot();
    const { api, control } = booted;
    const template = '{ decision: "ALLOW" }';
    const own = await intercept(api, {
      api_url: SILENCE,
      failure_policy: 'FAIL_CLOSED',
      response_template: template,
    });
    await load(booted, 'interceptor-claims', { trigger_point: TRIGGER, times: 2 });

    const answer = await askForToken(booted).expect(200);
    await askForToken(booted).expect(403);
    await control.delete('/scenarios/interceptor-claims').expect(204);

    expect(claimsIn(answer)).toMatchObject({ custom_claims: { plan: 'pro' } });
    const { rows } = (await control.get('/state/interceptors').expect(200)).body;
    expect(rows.at(-1).id).toBe(own.id);
  });
});
