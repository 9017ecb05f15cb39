import { describe, expect, it } from 'vitest';
import { ACCOUNTS, auth } from '../support/accounts.ts';
import { DONE_URL, eventsOf, linkTo, pages, statusOf, VERIFY_URL } from '../support/account-pages.ts';
import { FRESHDESK, GMAIL, NOTION } from '../support/fixture-ids.ts';

type Environment = Awaited<ReturnType<typeof pages>>;

const authorize = ({ control }: Pick<Environment, 'control'>, id: string, body?: object) =>
  control.post(`/connected_accounts/${id}/authorize`).send(body);

const OFF = { user_verification: 'off', post_user_verify_redirect_url: '' } as const;

describe('Control_AuthorizeAccount', () => {
  it('makes an account active without a body when user verification is off', async () => {
    const env = await pages(OFF);

    const { body } = await authorize(env, NOTION).expect(200);

    expect(body).toEqual({ connected_account: await auth(env.api, NOTION) });
    expect(body.connected_account).toMatchObject({
      status: 'ACTIVE',
      token_expires_at: '2030-01-01T01:00:00.000Z',
    });
    expect((await eventsOf(env.control, NOTION)).map(([type]) => type)).toEqual([
      'oauth_tokens_fetched',
      'oauth_succeeded',
      'status_updated',
    ]);
  });

  it("redirects to the application's verify URL, and the application can verify the user", async () => {
    const env = await pages();
    const wanted = { user_verify: { url: 'http://localhost:3000/verify', state: 's-1' } };

    const { body } = await authorize(env, GMAIL, wanted).expect(200);

    const { auth_request_id } = body;
    expect(body.redirect).toBe(`http://localhost:3000/verify?auth_request_id=${auth_request_id}&state=s-1`);
    expect(body.connected_account.status).toBe('PENDING_VERIFICATION');
    const identifier = 'default';
    await env.api.post(`${ACCOUNTS}/user/verify`).send({ auth_request_id, identifier }).expect(200);
    expect(await statusOf(env.api, GMAIL)).toBe('ACTIVE');
  });

  it('uses the latest link of the account, which is then used up', async () => {
    const env = await pages();
    await linkTo(env.api, GMAIL, { user_verify_url: 'https://first.example' });
    const link = await linkTo(env.api, GMAIL, { user_verify_url: VERIFY_URL, state: 'of-link' });

    const { body } = await authorize(env, GMAIL).expect(200);

    expect(body.redirect).toMatch(/^https:\/\/app\.example\.com\/verify\?auth_request_id=\w+&state=of-link$/);
    expect((await env.browser.open(link)).status).toBe(410);
  });

  it('also confirms the user with `confirm: true`', async () => {
    const env = await pages();

    const { body } = await authorize(env, GMAIL, { user_verify: { confirm: true } }).expect(200);

    expect(body).toMatchObject({ connected_account: { status: 'ACTIVE' }, redirect: DONE_URL });
    expect(body).not.toHaveProperty('auth_request_id');
  });

  it("leaves the account pending when the simulator's own page verifies users", async () => {
    const env = await pages({ user_verification: 'service' });

    const { body } = await authorize(env, NOTION).expect(200);

    expect(body).toMatchObject({
      connected_account: { status: 'PENDING_VERIFICATION' },
      auth_request_id: expect.any(String),
    });
  });

  it('explains what is missing when there is no verify URL', async () => {
    const env = await pages();

    const { body } = await authorize(env, GMAIL).expect(400);

    expect(body.message).toMatch(/^user_verify\.url: .* give user_verify.url, or user_verify.confirm: true$/);
    expect(await statusOf(env.api, GMAIL)).toBe('ACTIVE');
  });

  it.each([
    [{ outcome: 'denied' }, 'access_denied'],
    [{ outcome: 'failed' }, 'server_error'],
    [{ outcome: 'failed', error: 'invalid_scope' }, 'invalid_scope'],
  ])('can end in an error: %j', async (wanted, error) => {
    const env = await pages();

    const { body } = await authorize(env, NOTION, {
      ...wanted,
      user_verify: { url: VERIFY_URL, state: 's' },
    }).expect(200);

    expect(body).toMatchObject({ error, connected_account: { status: 'PENDING_AUTH' } });
    expect(new URL(body.redirect).searchParams.get('error')).toBe(error);
    expect(new URL(body.redirect).searchParams.get('state')).toBe('s');
  });

  it('uses the given credentials and generates the others', async () => {
    const env = await pages(OFF);
    const credentials = { access_token: 'at-of-a-test', scopes: ['read'], refresh_token: '' };

    const { body } = await authorize(env, NOTION, { credentials }).expect(200);

    expect(body.connected_account.authorization_details).toEqual({
      oauth_token: { ...credentials, domain: '' },
    });
    await env.control.post('/clock/advance').send({ by: '61m' }).expect(200);
    expect(await statusOf(env.api, NOTION)).toBe('EXPIRED');
  });

  it('sets static credentials, generated when none are given', async () => {
    const env = await pages({ post_user_verify_redirect_url: '' });
    const details = { domain: 'd.example', username: 'u', password: 'p' };

    const told = await authorize(env, FRESHDESK, { credentials: details }).expect(200);
    const madeUp = await authorize(env, FRESHDESK).expect(200);

    expect(told.body.connected_account.authorization_details).toEqual({ static_auth: { details } });
    expect(madeUp.body.connected_account.authorization_details).toEqual({
      static_auth: {
        details: { domain: 'test_domain', username: 'test_username', password: 'test_password' },
      },
    });
  });

  it.each([
    [NOTION, { acces_token: 'x' }, 'credentials.acces_token', 'access_token, refresh_token, domain, scopes'],
    [NOTION, { scopes: 'read' }, 'credentials.scopes', 'must be a list of strings'],
    [NOTION, { access_token: 7 }, 'credentials.access_token', 'must be a string'],
    [FRESHDESK, { api_key: 'x' }, 'credentials.api_key', 'have domain, username, password'],
    [FRESHDESK, { domain: 1, username: 'u', password: 'p' }, 'credentials.domain', 'must be a string'],
    [FRESHDESK, { domain: 'd', username: 'u' }, 'credentials.password', 'Password is required.'],
  ])('refuses credentials that do not fit the account %s: %j', async (id, credentials, field, text) => {
    const env = await pages(OFF);
    const before = await auth(env.api, id);

    const { body } = await authorize(env, id, { credentials }).expect(400);

    const [violation] = body.details[0].validation_error_info.field_violations;
    expect(violation).toMatchObject({ field, description: expect.stringContaining(text) });
    expect(await auth(env.api, id)).toEqual(before);
  });

  it.each([
    [
      { outcome: 'denied', credentials: {} },
      /^credentials: only the outcome granted takes them, not denied$/,
    ],
    [{ error: 'server_error' }, /^error: only the outcome failed takes an error, not granted$/],
  ])('refuses contradictory members: %j', async (wanted, message) => {
    const env = await pages(OFF);

    const { body } = await authorize(env, NOTION, wanted).expect(400);

    expect(body.message).toMatch(message);
  });
});
