import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import {
  ACCOUNTS,
  auth,
  create,
  failure,
  invalid,
  missing,
  NOW,
  oauth,
  violated,
} from '../../../../test/support/accounts.ts';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { ACME, NINA, SLACK_OF_ACME, SLACK_OF_NORDWIND } from '../../../../test/support/fixture-ids.ts';

const GITHUB = 'ca_10000000000000304';
const PENDING_VERIFICATION = 'ca_10000000000000306';
const DISCONNECTED = 'ca_10000000000000307';

const OTHERS = failure(
  403,
  `the token is bound to another connected account than ${SLACK_OF_ACME}`,
  7,
  'PERMISSION_DENIED',
);
const UNBOUND = failure(
  400,
  'the token is bound to no connected account: give an id',
  9,
  'FAILED_PRECONDITION',
);

/** Binds the caller's tokens to the account. */
const bind = (control: Agent, id: string) =>
  control
    .patch(`/state/connected_accounts/${id}`)
    .send({ client_id: KNOWN_CREDENTIALS.client_id })
    .expect(200);

/** The operations that read one account without its credentials. */
const readings: [operation: string, path: (id: string) => string][] = [
  ['ConnectedAccountService_GetConnectedAccount', (id) => `${ACCOUNTS}/${id}`],
  ['ConnectedAccountService_GetConnectedAccountDetails', (id) => `${ACCOUNTS}/details?id=${id}`],
];

describe.each(readings)('%s', (_, path) => {
  it('returns the account with its settings and without its credentials', async () => {
    const { api } = await boot({ now: NOW });
    const owner = { organization_id: ACME, user_id: NINA };
    const connected_account = { ...oauth(), api_config: { version: '2' } };
    const { id } = await create(api, { ...owner, connected_account });

    const { body } = await api.get(path(id)).expect(200);

    expect(body).toEqual({
      connected_account: {
        id,
        connection_id: 'conn_10000000000000201',
        is_org_wide_credential: false,
        connector: 'gmail',
        provider: 'GMAIL',
        identifier: 'lea@acme.example',
        authorization_type: 'OAUTH',
        status: 'ACTIVE',
        updated_at: NOW,
        api_config: {
          version: '2',
          domain: null,
          custom_headers: null,
          custom_auth_header: null,
          api_endpoint: null,
        },
      },
    });
  });

  it.each([301, 302, 303, 304, 305, 306, 307, 308, 309, 310])(
    'answers account %i as get-auth does, without authorization_details',
    async (number) => {
      const { api } = await boot();
      const id = `ca_10000000000000${number}`;
      const { authorization_details: _credentials, ...rest } = await auth(api, id);

      const { body } = await api.get(path(id)).expect(200);

      expect(body).toEqual({ connected_account: rest });
    },
  );

  it('answers 404 for an unknown account', async () => {
    const { api } = await boot();

    const refused = await api.get(path('ca_1'));

    expect(refused).toMatchObject(missing('connected account ca_1 not found'));
  });
});

describe('ConnectedAccountService_GetConnectedAccount', () => {
  it('returns the account of the token for the id `this`', async () => {
    const { api, control } = await boot();
    await bind(control, SLACK_OF_NORDWIND);

    const { body } = await api.get(`${ACCOUNTS}/this`).expect(200);

    expect(body.connected_account).toMatchObject({ id: SLACK_OF_NORDWIND, connector: 'slack' });
    expect(body.connected_account).not.toHaveProperty('client_id');
  });

  it('refuses `this` when the token is bound to no account', async () => {
    const { api } = await boot();

    const refused = await api.get(`${ACCOUNTS}/this`);

    expect(refused).toMatchObject(UNBOUND);
  });

  it('refuses an account that the token is not bound to', async () => {
    const { api, control } = await boot();
    await bind(control, SLACK_OF_NORDWIND);

    const refused = await api.get(`${ACCOUNTS}/${SLACK_OF_ACME}`);

    expect(refused).toMatchObject(OTHERS);
    await api.get(`${ACCOUNTS}/${SLACK_OF_NORDWIND}`).expect(200);
  });

  it('enforces the maximum length of id', async () => {
    const { api } = await boot();

    const refused = await api.get(`${ACCOUNTS}/ca_${'1'.repeat(30)}`);

    expect(refused).toMatchObject(violated('id', 'string.max_len'));
  });
});

describe('ConnectedAccountService_GetConnectedAccountDetails', () => {
  it('finds the account by connector and identifier and names a missing one', async () => {
    const { api } = await boot();

    const found = await api.get(`${ACCOUNTS}/details?connector=github&identifier=ravi@acme.example`);
    const refused = await api.get(`${ACCOUNTS}/details?identifier=ravi@acme.example`);

    expect(found.body.connected_account).toMatchObject({ id: GITHUB, status: 'EXPIRED' });
    expect(refused).toMatchObject(
      invalid('give the id of the connected account, or connector and identifier; connector is missing'),
    );
  });

  it('does not refresh an expired access token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: NOW }).expect(200);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const { body } = await api.get(`${ACCOUNTS}/details?id=${id}`).expect(200);

    expect(body.connected_account).toMatchObject({ token_expires_at: NOW, updated_at: NOW });
  });
});

describe('ConnectedAccountService_DisconnectConnectedAccount', () => {
  const disconnect = (api: Agent, id: string, body?: object) =>
    api.post(`${ACCOUNTS}/${id}:disconnect`).send(body);

  it('keeps the account and deletes its credentials', async () => {
    const { api } = await boot({ now: NOW });
    const before = await auth(api, SLACK_OF_ACME);

    const { body } = await disconnect(api, SLACK_OF_ACME, {}).expect(200);

    const { authorization_details: _, token_expires_at: __, ...kept } = before;
    const after = { ...kept, status: 'DISCONNECTED', updated_at: NOW };
    expect(body).toEqual({ connected_account: after });
    expect(await auth(api, SLACK_OF_ACME)).toEqual(after);
  });

  it.each([
    ['ACTIVE', SLACK_OF_ACME],
    ['EXPIRED', GITHUB],
    ['PENDING_AUTH', 'ca_10000000000000305'],
    ['PENDING_VERIFICATION', PENDING_VERIFICATION],
  ])('disconnects an account with status %s', async (status, id) => {
    const { api } = await boot();
    expect(await auth(api, id)).toMatchObject({ status });

    await disconnect(api, id).expect(200);

    expect(await auth(api, id)).toMatchObject({ status: 'DISCONNECTED' });
  });

  it('leaves a disconnected account unchanged', async () => {
    const { api } = await boot();
    const before = await auth(api, DISCONNECTED);

    const { body } = await disconnect(api, DISCONNECTED).expect(200);

    expect(body).toEqual({ connected_account: before });
  });

  it('invalidates earlier consent and magic links', async () => {
    const { api, control } = await boot();
    await api.post(`${ACCOUNTS}/magic_link`).send({ id: PENDING_VERIFICATION }).expect(200);

    await disconnect(api, PENDING_VERIFICATION).expect(200);

    const verify = { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada@acme.example' };
    await api.post(`${ACCOUNTS}/user/verify`).send(verify).expect(404);
    const { rows } = (await control.get('/state/magic_links').expect(200)).body;
    expect(rows).toMatchObject([{ connected_account_id: 'ca_10000000000000305' }]);
  });

  it('makes tools refuse the account until it has credentials again', async () => {
    const { api } = await boot();
    const run = { tool_name: 'slack_list_channels', connected_account_id: SLACK_OF_ACME };
    await disconnect(api, SLACK_OF_ACME).expect(200);

    const refused = await api.post('/api/v1/execute_tool').send(run).expect(400);
    await api.put(ACCOUNTS).send({ id: SLACK_OF_ACME, connected_account: oauth() }).expect(200);
    await api.post('/api/v1/execute_tool').send(run).expect(200);

    expect(refused.body.details[0].tool_error_info.tool_error_code).toBe('CONNECTED_ACCOUNT_DISCONNECTED');
  });

  it.each([
    ['-', {}],
    ['this', {}],
    ['-', { id: SLACK_OF_NORDWIND }],
    ['this', { id: SLACK_OF_NORDWIND }],
    [SLACK_OF_NORDWIND, {}],
  ])('disconnects the account of the token when called with id %s and body %j', async (name, body) => {
    const { api, control } = await boot();
    await bind(control, SLACK_OF_NORDWIND);

    const answer = await disconnect(api, name, body).expect(200);

    expect(answer.body.connected_account).toMatchObject({ id: SLACK_OF_NORDWIND, status: 'DISCONNECTED' });
  });

  it('disconnects the account in the body when the token is bound to no account', async () => {
    const { api } = await boot();

    const answer = await disconnect(api, '-', { id: SLACK_OF_ACME }).expect(200);

    expect(answer.body.connected_account).toMatchObject({ id: SLACK_OF_ACME, status: 'DISCONNECTED' });
  });

  it.each([
    [SLACK_OF_ACME, {}],
    ['-', { id: SLACK_OF_ACME }],
    ['this', { id: SLACK_OF_ACME }],
  ])('refuses an account that the token is not bound to, with id %s and body %j', async (name, body) => {
    const { api, control } = await boot();
    await bind(control, SLACK_OF_NORDWIND);

    const refused = await disconnect(api, name, body);

    expect(refused).toMatchObject(OTHERS);
    expect(await auth(api, SLACK_OF_ACME)).toMatchObject({ status: 'ACTIVE' });
  });

  it.each(['-', 'this'])('refuses the id %s when the token is bound to no account', async (name) => {
    const { api } = await boot();

    const refused = await disconnect(api, name);

    expect(refused).toMatchObject(UNBOUND);
  });

  it('answers 404 for an unknown account', async () => {
    const { api } = await boot();

    const refused = await disconnect(api, 'ca_1');

    expect(refused).toMatchObject(missing('connected account ca_1 not found'));
  });
});
