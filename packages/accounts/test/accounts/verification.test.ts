import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { SLACK_OF_ACME } from '../../../../test/support/fixture-ids.ts';

const ACCOUNTS = '/api/v1/connected_accounts';
const PENDING = 'ca_10000000000000306';
const REQUEST = { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada@acme.example' };

const verify = (api: Agent, body: object) => api.post(`${ACCOUNTS}/user/verify`).send(body);

const auth = async (api: Agent, id: string) =>
  (await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200)).body.connected_account;

const GONE = {
  status: 404,
  body: {
    code: 5,
    message: 'auth request not found or no longer valid',
    details: [{ error_code: 'RESOURCE_NOT_FOUND' }],
  },
};

describe('ConnectedAccountService_VerifyConnectedAccountUser', () => {
  it('activates the account with the credentials from the consent', async () => {
    const { api, control } = await boot({ baseUrl: 'http://localhost:8080' });
    await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const before = await auth(api, PENDING);

    const verified = await verify(api, REQUEST).expect(200);

    expect(verified.body).toEqual({ post_user_verify_redirect_url: 'http://localhost:8080/connect/success' });
    const { body: clock } = await control.get('/clock').expect(200);
    expect(before).toMatchObject({ status: 'PENDING_VERIFICATION' });
    expect(before).not.toHaveProperty('authorization_details');
    expect(await auth(api, PENDING)).toEqual({
      ...before,
      status: 'ACTIVE',
      updated_at: clock.now,
      token_expires_at: expect.any(String),
      authorization_details: {
        oauth_token: {
          access_token: 'test_googlecalendar_access_token',
          refresh_token: 'test_googlecalendar_refresh_token',
          scopes: ['https://www.googleapis.com/auth/calendar'],
          domain: '',
        },
      },
    });
  });

  it('lets tools use the account', async () => {
    const { api } = await boot();
    const call = { tool_name: 'googlecalendar_list_calendars', connected_account_id: PENDING };
    await api.post('/api/v1/execute_tool').send(call).expect(400);

    await verify(api, REQUEST).expect(200);

    await api.post('/api/v1/execute_tool').send(call).expect(200);
  });

  it('answers the address of a page that exists', async () => {
    const { api, anonymous } = await boot();
    const { body } = await verify(api, REQUEST).expect(200);

    const page = await anonymous.get(new URL(body.post_user_verify_redirect_url).pathname).expect(200);

    expect(page.text).toContain('<h1>Connected</h1>');
    expect(page.text).toContain('You can close this window.');
  });

  it('answers the redirect address of the settings, even when it is empty', async () => {
    const { api, control } = await boot();
    await control.patch('/state/settings/settings').send({ post_user_verify_redirect_url: '' }).expect(200);

    const verified = await verify(api, REQUEST).expect(200);

    expect(verified.body).toEqual({ post_user_verify_redirect_url: '' });
  });

  it('keeps the stored credentials when the auth request has none', async () => {
    const { api, control } = await boot();
    const request = {
      connected_account_id: SLACK_OF_ACME,
      identifier: 'nina@nordwind.example',
      expires_at: 'now+1h',
      consumed: false,
    };
    await control.put('/state/auth_requests/again').send(request).expect(200);

    await verify(api, { auth_request_id: 'again', identifier: 'nina@nordwind.example' }).expect(200);

    expect(await auth(api, SLACK_OF_ACME)).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { oauth_token: { access_token: 'test_slack_acme_access_token' } },
    });
  });

  it('refuses another identifier and changes nothing', async () => {
    const { api, control } = await boot();
    const before = (await control.get('/state').expect(200)).body;

    const refused = await verify(api, { ...REQUEST, identifier: 'Ada@acme.example' });

    expect(refused).toMatchObject({
      status: 403,
      body: {
        code: 7,
        message: 'identifier does not match the one of the auth request',
        details: [{ error_code: 'PERMISSION_DENIED' }],
      },
    });
    expect((await control.get('/state').expect(200)).body).toEqual(before);
    await verify(api, REQUEST).expect(200);
  });

  it('accepts an auth request only once', async () => {
    const { api } = await boot();
    await verify(api, REQUEST).expect(200);

    const again = await verify(api, REQUEST);

    expect(again).toMatchObject(GONE);
    expect(await auth(api, PENDING)).toMatchObject({ status: 'ACTIVE' });
  });

  it.each([
    ['does not exist', 'YXV0aHJlcV91bmtub3du'],
    ['does not exist and looks like a UUID', '00000000-0000-4000-8000-000000000000'],
    ['was used before', 'YXV0aHJlcV9zbGFjaw'],
  ])('answers 404 for an auth request that %s', async (_, auth_request_id) => {
    const { api } = await boot();

    const refused = await verify(api, { auth_request_id, identifier: 'nina@nordwind.example' });

    expect(refused).toMatchObject(GONE);
  });

  it('answers 404 for an auth request that expired by the clock', async () => {
    const { api, control } = await boot();
    await control
      .patch(`/state/auth_requests/${REQUEST.auth_request_id}`)
      .send({ expires_at: 'now+10m' })
      .expect(200);
    await control.post('/clock/advance').send({ by: '10m' }).expect(200);

    const refused = await verify(api, REQUEST);

    expect(refused).toMatchObject(GONE);
    expect(await auth(api, PENDING)).toMatchObject({ status: 'PENDING_VERIFICATION' });
  });

  it.each([
    ['auth_request_id', 'string.min_len', { identifier: 'a' }],
    ['auth_request_id', 'string.min_len', { auth_request_id: '', identifier: 'a' }],
    ['auth_request_id', 'string.max_len', { auth_request_id: 'x'.repeat(1001), identifier: 'a' }],
    ['identifier', 'string.min_len', { auth_request_id: 'a' }],
    ['identifier', 'string.min_len', { auth_request_id: 'a', identifier: '' }],
    ['identifier', 'string.max_len', { auth_request_id: 'a', identifier: 'x'.repeat(201) }],
  ])('enforces the limits of %s (%s): %j', async (field, constraint, body) => {
    const { api } = await boot();

    const refused = await verify(api, body);

    expect(refused.status).toBe(400);
    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field, constraint },
    ]);
  });

  it('accepts an id of 1000 and an identifier of 200 characters and answers 404', async () => {
    const { api } = await boot();

    const refused = await verify(api, { auth_request_id: 'x'.repeat(1000), identifier: 'x'.repeat(200) });

    expect(refused).toMatchObject(GONE);
  });
});
