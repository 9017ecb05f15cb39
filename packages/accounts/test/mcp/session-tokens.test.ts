import { compactVerify, importJWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import {
  failure,
  invalid,
  notFound,
  refusal,
  required,
  tooLong,
} from '../../../../test/support/violations.ts';
import { RESEARCH } from '../../../../test/support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.500Z';
const NOW_S = 1_893_456_000;
const CONFIGS = '/api/v1/mcp/configs';
const USER = { identifier: 'research-bot' };

const ask = (api: Agent, body: object = USER, config = RESEARCH) =>
  api.post(`${CONFIGS}/${config}/tokens`).send(body);

/** Verifies the signature of a token with the published key and returns its claims. */
async function claimsOf(token: string, anonymous: Agent) {
  const { body } = await anonymous.get('/keys').expect(200);
  const { payload } = await compactVerify(token, await importJWK(body.keys[0], 'RS256'));
  return JSON.parse(new TextDecoder().decode(payload));
}

const outOfBounds = refusal({
  field: 'expiry',
  description: 'value must be greater than or equal to 60s and less than or equal to 86400s',
  constraint: 'duration.gte_lte',
});

const NOT_BOTH = invalid('give mcp_config_id or key_id, not both');

const notReady = (message: string) => failure(9, 'FAILED_PRECONDITION', message);

describe('McpService_CreateMcpSessionToken', () => {
  it('issues a signed token with the user, the server, the accounts and the access level', async () => {
    const { api, anonymous } = await boot({ now: NOW, baseUrl: 'https://auth.acme.example' });
    const { body } = await api.get(`${CONFIGS}/${RESEARCH}`).expect(200);

    const response = await ask(api).expect(200);

    expect(response.body).toEqual({ token: expect.any(String), expires_at: '2030-01-01T01:00:00.000Z' });
    expect(await claimsOf(response.body.token, anonymous)).toEqual({
      iss: 'https://auth.acme.example',
      sub: 'research-bot',
      aud: body.config.mcp_server_url,
      iat: NOW_S,
      nbf: NOW_S,
      exp: NOW_S + 3600,
      jti: expect.stringMatching(/^tkn_/),
      token_type: 'mcp_session',
      mcp_cfg: RESEARCH,
      ca_ids: ['ca_10000000000000309', 'ca_10000000000000310'],
      access_level: 'FULL',
    });
  });

  it.each([
    ['60s', 60],
    ['90.9s', 90],
    ['86400s', 86_400],
    ['86400.5s', 86_400],
  ])('issues a token with the lifetime %s', async (expiry, seconds) => {
    const { api, anonymous } = await boot({ now: NOW });

    const response = await ask(api, { ...USER, expiry }).expect(200);

    expect(response.body.expires_at).toBe(new Date((NOW_S + seconds) * 1000).toISOString());
    expect(await claimsOf(response.body.token, anonymous)).toMatchObject({ exp: NOW_S + seconds });
  });

  it.each(['59s', '59.9s', '86401s', '0s', '-60s'])('refuses the lifetime %s', async (expiry) => {
    const { api } = await boot();

    const refused = await ask(api, { ...USER, expiry }).expect(400);

    expect(refused.body).toEqual(outOfBounds);
  });

  it.each(['1h', '3600', 's', '1e3s'])('refuses %s as a duration', async (expiry) => {
    const { api } = await boot();

    const refused = await ask(api, { ...USER, expiry }).expect(400);

    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'expiry', constraint: 'string.pattern' },
    ]);
  });

  it('issues a token with the given access level', async () => {
    const { api, anonymous } = await boot();

    const response = await ask(api, { ...USER, access_level: 'READ_ONLY' }).expect(200);

    expect(await claimsOf(response.body.token, anonymous)).toMatchObject({ access_level: 'READ_ONLY' });
    await ask(api, { ...USER, access_level: 'ALL' }).expect(400);
  });

  it('puts the name of a non-default environment into the token', async () => {
    const { environment, anonymous } = await boot();
    const { api } = await environment('worker-1');

    const response = await ask(api).expect(200);

    expect(await claimsOf(response.body.token, anonymous)).toMatchObject({
      understudy_environment: 'worker-1',
    });
  });

  it('issues a token that the API refuses as an access token', async () => {
    const { api, anonymous } = await boot();
    const { body } = await ask(api).expect(200);

    await anonymous.get(CONFIGS).set('authorization', `Bearer ${body.token}`).expect(401);
  });

  it('stores the token neither in the state nor in the journal', async () => {
    const { api, control } = await boot();
    const before = await control.get('/state').expect(200);
    const { body } = await ask(api).expect(200);

    const after = await control.get('/state').expect(200);
    const journal = await control.get('/requests').expect(200);

    expect(after.body).toEqual(before.body);
    expect(JSON.stringify(journal.body)).not.toContain(body.token);
  });

  it.each([
    ['without any account', 'nobody', 'nobody has no active connected account for connection exa'],
    [
      'whose account is not active',
      'ada@acme.example',
      'ada@acme.example has no active connected account for connection notion',
    ],
  ])('refuses a user %s', async (_, identifier, message) => {
    const { api } = await boot();

    const config = identifier === 'nobody' ? RESEARCH : 'cfg_10000000000000402';
    const refused = await ask(api, { identifier }, config).expect(400);

    expect(refused.body).toEqual(notReady(message));
  });

  it('refuses a user who has accounts for some of the connections only', async () => {
    const { api, control } = await boot();
    await control.delete('/state/connected_accounts/ca_10000000000000310').expect(204);

    const refused = await ask(api).expect(400);

    expect(refused.body).toEqual(
      notReady('research-bot has no active connected account for connection apifymcp'),
    );
  });

  it('refuses a configuration without connections and answers 404 for an unknown one', async () => {
    const { api } = await boot();

    const blank = await ask(api, USER, 'cfg_10000000000000403').expect(400);
    const missing = await ask(api, USER, 'cfg_1').expect(404);

    expect(blank.body).toEqual(notReady('mcp config blank_slate has no connections'));
    expect(missing.body).toEqual(notFound('mcp config cfg_1 not found'));
  });

  it('requires an identifier of 1 to 255 characters', async () => {
    const { api } = await boot();

    expect((await ask(api, {}).expect(400)).body).toEqual(refusal(required('identifier')));
    expect((await ask(api, { identifier: '' }).expect(400)).body).toEqual(refusal(required('identifier')));
    expect((await ask(api, { identifier: 'x'.repeat(256) }).expect(400)).body).toEqual(
      refusal(tooLong(255)('identifier')),
    );
    expect((await ask(api, { identifier: 'x'.repeat(255) }).expect(400)).body).toMatchObject({ code: 9 });
  });
});

describe('McpService_CreateMcpSessionToken before the accounts are authorized', () => {
  it('issues a token if the settings say so, for accounts that wait', async () => {
    const { api, control } = await boot();
    const newcomer = { identifier: 'newcomer' };
    await ask(api, newcomer).expect(400);
    await control.patch('/state/settings/settings').send({ mcp_tokens_need_account: false }).expect(200);

    await ask(api, newcomer).expect(200);

    const { body } = await api.get('/api/v1/connected_accounts?identifier=newcomer').expect(200);
    const statuses = body.connected_accounts.map(({ status }: { status: string }) => status);
    expect(new Set(statuses)).toEqual(new Set(['PENDING_AUTH']));
  });
});

describe('McpService_CreateMcpSessionToken for a connection', () => {
  const EXA = 'conn_10000000000000211';
  const forConnection = (api: Agent, name: string, body: object = USER) =>
    api.post(`/api/v1/mcp/connections/${name}/tokens`).send(body);

  it.each(['exa', 'EXA'])('issues a token for the server of %s', async (name) => {
    const { api, anonymous } = await boot({ now: NOW, baseUrl: 'https://auth.acme.example' });

    const { body } = await forConnection(api, name, { ...USER, expiry: '60s', access_level: 'READ_ONLY' });

    expect(body).toEqual({ token: expect.any(String), expires_at: '2030-01-01T00:01:00.000Z' });
    expect(await claimsOf(body.token, anonymous)).toEqual({
      iss: 'https://auth.acme.example',
      sub: 'research-bot',
      aud: 'https://auth.acme.example/mcp/v3/connections/exa',
      iat: NOW_S,
      nbf: NOW_S,
      exp: NOW_S + 60,
      jti: expect.stringMatching(/^tkn_/),
      token_type: 'mcp_session',
      conn_id: EXA,
      ca_ids: ['ca_10000000000000309'],
      access_level: 'READ_ONLY',
    });
  });

  it('prefers the connection whose name has the same upper and lower case', async () => {
    const { api, anonymous, control } = await boot();
    const { body: exa } = await control.get(`/state/connections/${EXA}`).expect(200);
    const { id: _, ...row } = exa;
    const other = 'conn_99999999999999999';
    await control
      .put(`/state/connections/${other}`)
      .send({ ...row, key_id: 'Exa' })
      .expect(200);
    await control
      .patch('/state/connected_accounts/ca_10000000000000309')
      .send({ connection_id: other })
      .expect(200);

    const { body } = await forConnection(api, 'Exa').expect(200);

    expect(await claimsOf(body.token, anonymous)).toMatchObject({ conn_id: other });
  });

  it.each([
    ['that is unknown', 'nope', {}],
    ['that is disabled', 'exa', { enabled: false }],
    ['that is not completed', 'exa', { status: 'DRAFT' }],
  ])('answers 404 for a connection %s', async (_, name, row) => {
    const { api, control } = await boot();
    await control.patch(`/state/connections/${EXA}`).send(row).expect(200);

    const refused = await forConnection(api, name).expect(404);

    expect(refused.body).toEqual(notFound(`connection not found for key: ${name}`));
  });

  it('refuses a connection that users sign in with', async () => {
    const { api, control } = await boot();
    await control.patch(`/state/connections/${EXA}`).send({ is_app: false }).expect(200);

    const refused = await forConnection(api, 'exa').expect(400);

    expect(refused.body).toEqual(invalid('connection exa is not for connected accounts'));
  });

  it('is issued before the account is authorized, for an account that waits', async () => {
    const { api } = await boot();

    await forConnection(api, 'exa', { identifier: 'newcomer' }).expect(200);

    const list = await api.get('/api/v1/connected_accounts?identifier=newcomer').expect(200);
    expect(list.body.connected_accounts).toMatchObject([{ connector: 'exa', status: 'PENDING_AUTH' }]);
  });

  it('refuses a user without an active account, if the settings say so', async () => {
    const { api, control } = await boot();
    await control.patch('/state/settings/settings').send({ mcp_tokens_need_account: true }).expect(200);
    await control
      .patch('/state/connected_accounts/ca_10000000000000309')
      .send({ status: 'EXPIRED' })
      .expect(200);

    const [none, expired] = [
      await forConnection(api, 'exa', { identifier: 'nobody' }).expect(400),
      await forConnection(api, 'exa').expect(400),
    ];

    expect(none.body).toEqual(notReady('nobody has no active connected account for connection exa'));
    expect(expired.body).toEqual(notReady('research-bot has no active connected account for connection exa'));
  });

  it('refuses a configuration and a connection at once', async () => {
    const { api } = await boot();

    const refused = [
      await ask(api, { ...USER, key_id: 'exa' }).expect(400),
      await forConnection(api, 'exa', { ...USER, mcp_config_id: RESEARCH }).expect(400),
    ];

    expect(refused.map(({ body }) => body)).toEqual([NOT_BOTH, NOT_BOTH]);
  });
});
