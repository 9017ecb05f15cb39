import { describe, expect, it } from 'vitest';
import { ACCOUNTS, auth, NOW } from '../../../../test/support/accounts.ts';
import {
  configure,
  DONE_URL,
  eventsOf,
  follow,
  pages,
  statusOf,
  VERIFY_URL,
} from '../../../../test/support/account-pages.ts';
import { GMAIL, NOTION } from '../../../../test/support/fixture-ids.ts';

const LINK_OPTIONS = { user_verify_url: VERIFY_URL, state: 'step 2&x' };
const ADA = 'ada@acme.example';

describe('consent with custom verification', () => {
  it('sets the account to PENDING_VERIFICATION and redirects to the application with auth_request_id and state', async () => {
    const env = await pages();

    const back = await (await follow(env, NOTION, LINK_OPTIONS)).submit({ outcome: 'granted' });

    expect(back.url).toMatch(
      /^https:\/\/app\.example\.com\/verify\?auth_request_id=\w{40}&state=step%202%26x$/,
    );
    const account = await auth(env.api, NOTION);
    expect(account).toMatchObject({ status: 'PENDING_VERIFICATION', updated_at: NOW });
    expect(account).not.toHaveProperty('authorization_details');
    expect((await eventsOf(env.control, NOTION)).at(-1)).toEqual(['status_updated', 'PENDING_VERIFICATION']);
  });

  it('activates the account when the application verifies the user, and only once', async () => {
    const env = await pages();
    const back = await (await follow(env, NOTION, LINK_OPTIONS)).submit({ outcome: 'granted' });
    const auth_request_id = back.query('auth_request_id');
    const verify = (identifier: string) =>
      env.api.post(`${ACCOUNTS}/user/verify`).send({ auth_request_id, identifier });

    await verify('ravi@acme.example').expect(403);
    const status = await statusOf(env.api, NOTION);
    const { body } = await verify(ADA).expect(200);
    await verify(ADA).expect(404);

    expect([status, body]).toEqual(['PENDING_VERIFICATION', { post_user_verify_redirect_url: DONE_URL }]);
    expect(await auth(env.api, NOTION)).toMatchObject({
      status: 'ACTIVE',
      token_expires_at: '2030-01-01T01:00:00.000Z',
      authorization_details: { oauth_token: { access_token: expect.stringMatching(/^at_/) } },
    });
    expect((await eventsOf(env.control, NOTION)).at(-1)).toEqual(['status_updated', 'ACTIVE']);
  });

  it('expires after 30 minutes when the application does not verify the user', async () => {
    const env = await pages();
    const back = await (await follow(env, NOTION, LINK_OPTIONS)).submit({ outcome: 'granted' });
    const body = { auth_request_id: back.query('auth_request_id'), identifier: ADA };

    await env.control.post('/clock/advance').send({ by: '30m' }).expect(200);

    await env.api.post(`${ACCOUNTS}/user/verify`).send(body).expect(404);
  });

  it('leaves state out of the redirect when the link has none', async () => {
    const env = await pages();

    const page = await follow(env, NOTION, { user_verify_url: VERIFY_URL });
    const back = await page.submit({ outcome: 'granted' });

    expect(back.url).toMatch(/\?auth_request_id=\w+$/);
  });

  it('redirects to user_verify_url of the settings when the link has none', async () => {
    const env = await pages({ user_verify_url: 'https://all.example/verify' });

    const back = await (await follow(env, NOTION)).submit({ outcome: 'granted' });

    expect(back.url).toMatch(/^https:\/\/all\.example\/verify\?auth_request_id=/);
  });

  it('fails when neither the link nor the settings have a user_verify_url', async () => {
    const env = await pages();

    const done = await (await follow(env, NOTION)).submit({ outcome: 'granted' });

    expect(done.text).toContain('<code>failed_to_exchange</code>');
    expect(done.text).toContain('user_verify_url not configured for verification redirect');
    expect(await statusOf(env.api, NOTION)).toBe('PENDING_AUTH');
  });

  it('requires verification again for an account that is already active', async () => {
    const env = await pages();

    await (await follow(env, GMAIL, LINK_OPTIONS)).submit({ outcome: 'granted' });

    expect(await auth(env.api, GMAIL)).toMatchObject({
      status: 'PENDING_VERIFICATION',
      authorization_details: { oauth_token: { access_token: 'test_gmail_access_token' } },
    });
  });

  it('cannot be verified after the account is disconnected', async () => {
    const env = await pages();
    const back = await (await follow(env, NOTION, LINK_OPTIONS)).submit({ outcome: 'granted' });
    const body = { auth_request_id: back.query('auth_request_id'), identifier: ADA };

    await env.api.post(`${ACCOUNTS}/${NOTION}:disconnect`).send({}).expect(200);

    await env.api.post(`${ACCOUNTS}/user/verify`).send(body).expect(404);
  });
});

describe('consent with verification by the service', () => {
  const SERVICE = { user_verification: 'service' } as const;

  it('asks for the email address, activates the account and redirects to the address of the settings', async () => {
    const env = await pages(SERVICE);

    const confirmation = await (await follow(env, NOTION, LINK_OPTIONS)).submit({ outcome: 'granted' });
    const status = await statusOf(env.api, NOTION);
    const done = await confirmation.submit({ email: ' Ada@acme.example ' });

    expect(confirmation.text).toContain('<h1>Confirm that it is you</h1>');
    expect(status).toBe('PENDING_VERIFICATION');
    expect(done.url).toBe(DONE_URL);
    expect(await statusOf(env.api, NOTION)).toBe('ACTIVE');
    expect((await env.browser.open(confirmation.url)).status).toBe(410);
  });

  it('ends on its own page when the settings have no redirect address', async () => {
    const env = await pages({ ...SERVICE, post_user_verify_redirect_url: '' });

    const confirmation = await (await follow(env, NOTION)).submit({ outcome: 'granted' });
    const done = await confirmation.submit({ email: ADA });

    expect(done.text).toContain('<h1>Notion is connected</h1>');
  });

  it('fills in the email address of the signed-in user', async () => {
    const env = await pages(SERVICE);
    const authorize =
      '/oauth/authorize?client_id=skc_1000000000000000001&redirect_uri=http://localhost:3000/callback&response_type=code&scope=openid';
    await (await env.browser.open(authorize)).submit({ user_id: 'usr_10000000000000101' });

    const confirmation = await (await follow(env, NOTION)).submit({ outcome: 'granted' });
    await confirmation.submit();

    expect(confirmation.text).toContain('You are signed in with it.');
    expect(confirmation.text).toContain(`value="${ADA}"`);
    expect(await statusOf(env.api, NOTION)).toBe('ACTIVE');
  });

  it.each([
    ['nobody@acme.example', 'No user has this address.'],
    ['', 'No user has this address.'],
    ['ravi@acme.example', 'This account belongs to another user.'],
  ])('refuses the email address %j', async (email, problem) => {
    const env = await pages(SERVICE);
    const confirmation = await (await follow(env, NOTION)).submit({ outcome: 'granted' });

    const refused = await confirmation.submit({ email });

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(problem)]);
    expect(await statusOf(env.api, NOTION)).toBe('PENDING_VERIFICATION');
  });

  it('cannot be given twice: going back shows the confirmation page again', async () => {
    const env = await pages(SERVICE);
    const page = await follow(env, NOTION);
    await page.submit({ outcome: 'granted' });

    const again = await page.submit({ outcome: 'denied' });

    expect(again.text).toContain('Confirm that it is you');
    const { body } = await env.control.get('/state/auth_requests').expect(200);
    const own = body.rows.filter(
      (each: { connected_account_id: string }) => each.connected_account_id === NOTION,
    );
    expect(own).toHaveLength(1);
  });

  it('cannot be confirmed before consent is given or after the account is disconnected', async () => {
    const env = await pages(SERVICE);
    const page = await follow(env, NOTION);
    const early = await env.browser.send(`${page.url}/confirm`, {
      email: ADA,
      csrf_token: /name="csrf_token" value="([^"]*)"/.exec(page.text)![1]!,
    });
    const confirmation = await page.submit({ outcome: 'granted' });

    await env.api.post(`${ACCOUNTS}/${NOTION}:disconnect`).send({}).expect(200);

    expect([early.status, (await confirmation.submit({ email: ADA })).status]).toEqual([400, 404]);
    expect(await statusOf(env.api, NOTION)).toBe('DISCONNECTED');
  });

  it('skips the confirmation when verification was turned off in the meantime', async () => {
    const env = await pages(SERVICE);
    const page = await follow(env, NOTION);
    await configure(env.control, { user_verification: 'off', post_user_verify_redirect_url: '' });

    const done = await page.submit({ outcome: 'granted' });

    expect(done.text).toContain('<h1>Notion is connected</h1>');
  });
});
