import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const VERIFY = '/api/v1/connected_accounts/user/verify';
const ADA = 'ada@acme.example';
const CALENDAR = { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: ADA };
const GMAIL_TOOL = { tool_name: 'gmail_fetch_mails', connector: 'gmail', identifier: 'default' };

async function loaded(name: string, params?: object) {
  const booted = await boot();
  await booted.control
    .post('/scenarios')
    .send(params ? { name, params } : { name })
    .expect(201);
  return booted;
}

describe('identifier-mismatch', () => {
  it('responds 403 to any request, and the account stays pending', async () => {
    const { api } = await loaded('identifier-mismatch');

    const { body } = await api.post(VERIFY).send(CALENDAR).expect(403);
    const account = await api.get(
      `/api/v1/connected_accounts/auth?connector=googlecalendar&identifier=${ADA}`,
    );

    expect(body).toMatchObject({ code: 7, details: [{ error_code: 'PERMISSION_DENIED' }] });
    expect(account.body.connected_account.status).toBe('PENDING_VERIFICATION');
  });
});

describe.each(['verification-consumed', 'verification-unknown'])('%s', (name) => {
  it('applies to the auth request that the call names', async () => {
    const { api, control } = await loaded(name);
    const { body } = await control
      .post('/connected_accounts/ca_10000000000000301/authorize')
      .send({ user_verify: { url: 'http://localhost:3000/verify' } })
      .expect(200);
    const { auth_request_id } = body;

    await api.post(VERIFY).send({ auth_request_id, identifier: 'default' }).expect(404);
    await control.delete(`/scenarios/${name}`).expect(204);
    await api.post(VERIFY).send(CALENDAR).expect(200);
  });

  it('responds 404', async () => {
    const { api } = await loaded(name);

    const { body } = await api.post(VERIFY).send(CALENDAR).expect(404);

    expect(body.message).toBe('auth request not found or no longer valid');
  });

  it('cannot be loaded for an auth request that does not exist', async () => {
    const { api, control } = await boot();

    await control
      .post('/scenarios')
      .send({ name, params: { auth_request_id: 'none' } })
      .expect(400);

    await api.post(VERIFY).send(CALENDAR).expect(200);
  });
});

describe('connected-account-duplicate', () => {
  it.each([
    ['gmail', ADA],
    ['slack', 'lea@acme.example'],
  ])(
    'responds 409 when an account of %s for %s is created, and the account exists',
    async (connector, identifier) => {
      const { api } = await loaded('connected-account-duplicate');
      const wanted = { connector, identifier, connected_account: {} };
      const create = () => api.post('/api/v1/connected_accounts').send(wanted);

      const { body } = await create().expect(409);
      await create().expect(409);

      expect(body).toMatchObject({ code: 6, details: [{ error_code: 'ALREADY_EXISTS' }] });
      const list = await api
        .get(`/api/v1/connected_accounts?connector=${connector}&identifier=${identifier}`)
        .expect(200);
      expect(list.body.connected_accounts).toMatchObject([{ connector, identifier, status: 'PENDING_AUTH' }]);
    },
  );

  it('responds 404 for an unknown connector', async () => {
    const { api } = await loaded('connected-account-duplicate');
    const wanted = { connector: 'nope', identifier: ADA, connected_account: {} };

    await api.post('/api/v1/connected_accounts').send(wanted).expect(404);
  });

  it('applies to any identifier and owner', async () => {
    const owner = { organization_id: 'org_10000000000000002', user_id: 'usr_10000000000000103' };
    const params = { connection_id: 'conn_10000000000000203', identifier: 'nina', ...owner };
    const { api } = await loaded('connected-account-duplicate', params);
    const wanted = { connector: 'github', identifier: 'nina', connected_account: {} };

    await api
      .post('/api/v1/connected_accounts')
      .send({ ...wanted, ...owner })
      .expect(409);
    await api.post('/api/v1/connected_accounts').send(wanted).expect(201);
  });
});

describe('connected-account-refresh-failure', () => {
  it('expires the account, so that no tool runs with it', async () => {
    const { api } = await loaded('connected-account-refresh-failure');

    const account = await api
      .get('/api/v1/connected_accounts/auth?connector=gmail&identifier=default')
      .expect(200);
    const { body } = await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(400);

    expect(account.body.connected_account.status).toBe('EXPIRED');
    expect(body.details).toMatchObject([
      { error_code: 'TOOL_ERROR', tool_error_info: { tool_error_code: 'CONNECTED_ACCOUNT_EXPIRED' } },
    ]);
  });

  const SLACK = 'connector=slack&identifier=nina@nordwind.example&organization_id=org_10000000000000002';

  it.each([
    ['connector and identifier', 'connector=gmail&identifier=default'],
    ['id', 'id=ca_10000000000000301'],
    ['an identifier that several owners have', SLACK],
  ])('applies to the account that a call names by %s, until it is authorized again', async (_, query) => {
    const { api, control } = await loaded('connected-account-refresh-failure');
    const read = async () =>
      (await api.get(`/api/v1/connected_accounts/auth?${query}`).expect(200)).body.connected_account;

    const { id, status } = await read();
    await control.post(`/connected_accounts/${id}/authorize`).expect(200);

    expect([status, (await read()).status]).toEqual(['EXPIRED', 'ACTIVE']);
  });

  it('applies to the account of a tool call, also without a connector', async () => {
    const { api } = await loaded('connected-account-refresh-failure');
    const { connector: _, ...call } = GMAIL_TOOL;

    const { body } = await api.post('/api/v1/execute_tool').send(call).expect(400);

    expect(body.details[0].tool_error_info.tool_error_code).toBe('CONNECTED_ACCOUNT_EXPIRED');
  });

  it('expires the account of the parameter when it is loaded', async () => {
    const { api, control } = await loaded('connected-account-refresh-failure', {
      connected_account_id: 'ca_10000000000000302',
    });

    await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(200);

    const { body } = await control.get('/state/connected_accounts/ca_10000000000000302').expect(200);
    expect(body.status).toBe('EXPIRED');
  });
});

describe('connected-account-link-expired', () => {
  const LINK = '/magicLink/6f1d2c3b-8a47-4e5f-9b60-2d3c4e5f6a7b_o';

  it('shows that the opened link has expired; a new link works', async () => {
    const { api, anonymous } = await loaded('connected-account-link-expired');

    const page = await anonymous.get(LINK).expect(410);
    const id = 'ca_10000000000000305';
    const { body } = await api.post('/api/v1/connected_accounts/magic_link').send({ id }).expect(200);

    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('This link has expired: ask for a new one.');
    await anonymous.get(new URL(body.link).pathname).expect(302);
  });

  it('applies to the link that is opened', async () => {
    const { api, anonymous } = await loaded('connected-account-link-expired');
    const wanted = { connector: 'gmail', identifier: 'ada' };
    const link = async () => {
      const { body } = await api.post('/api/v1/connected_accounts/magic_link').send(wanted).expect(200);
      return new URL(body.link).pathname;
    };

    const first = await link();
    await anonymous.get(first).expect(410);
    await anonymous.get(first).expect(410);
    await anonymous.get(await link()).expect(302);
  });

  it('cannot be loaded for an account without a link', async () => {
    const { anonymous, control } = await boot();
    const params = { connected_account_id: 'ca_10000000000000301' };

    await control.post('/scenarios').send({ name: 'connected-account-link-expired', params }).expect(400);

    await anonymous.get(LINK).expect(302);
  });
});

describe('scenarios of failing tools', () => {
  it.each([
    ['tool-failure', 500, 13, 'TOOL_EXEC_FAILED'],
    ['tool-invalid-params', 400, 3, 'INVALID_PARAMS'],
    ['tool-unauthorized', 500, 16, 'UNAUTHORIZED'],
    ['tool-forbidden', 500, 7, 'FORBIDDEN'],
    ['tool-rate-limited', 500, 8, 'RATE_LIMIT_EXCEEDED'],
    ['tool-timeout', 504, 4, 'TIMEOUT'],
  ])('%s: %i with the gRPC code %i and %s', async (name, status, code, tool_error_code) => {
    const { api } = await loaded(name, { times: 1 });

    const { body } = await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(status);
    await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(200);

    const tool_error_info = { tool_error_code, execution_id: expect.stringMatching(/^exec_/) };
    expect(body).toMatchObject({ code, details: [{ error_code: 'TOOL_ERROR', tool_error_info }] });
  });

  it.each(['tool-failure', 'tool-rate-limited', 'tool-timeout'])('%s can apply to one tool', async (name) => {
    const { api } = await loaded(name, { tool_name: 'github_user_get_authenticated' });
    const github = { tool_name: 'github_user_get_authenticated', identifier: 'ravi@acme.example' };

    await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(200);

    const { status } = await api.post('/api/v1/execute_tool').send(github);
    expect(status).toBeGreaterThanOrEqual(500);
  });

  it('tool-rate-limited sends Retry-After when the parameter is set', async () => {
    const { api } = await loaded('tool-rate-limited', { retry_after: 30 });

    const { headers } = await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(500);

    expect(headers['retry-after']).toBe('30');
  });

  it('tool-timeout delays the response', async () => {
    const { api, control } = await loaded('tool-timeout', { delay: '3ms' });

    await api.post('/api/v1/execute_tool').send(GMAIL_TOOL).expect(504);

    const { body } = await control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    expect(body.requests).toMatchObject([{ fault: { delay_ms: 3 } }]);
  });
});
