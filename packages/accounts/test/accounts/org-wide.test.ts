import { create as createMessage } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ACCOUNTS } from '../../../../test/support/accounts.ts';
import { bootOnce, type Agent, type Booted } from '../../../../test/support/boot.ts';
import { bootPort } from '../../../../test/support/mcp.ts';
import { callRpc, grpcTo, METHODS } from '../../../../test/server/grpc/support.ts';

const { fresh } = bootOnce();
const onPort = bootPort();

const CONNECTIONS = '/api/v1/connections';
const KEY = { static_auth: { details: { api_key: 'key_of_all' } } };

/** Makes a connection for connected accounts, and completes it if it is for OAuth. */
async function connect(api: Agent, wanted: object = {}) {
  const given = { provider_key: 'EXA', type: 'API_KEY', key_id: 'wide', auth_mode: 'ORG_WIDE', ...wanted };
  const { body } = await api.post(`${CONNECTIONS}?flags.is_app=true`).send(given).expect(201);
  return body.connection as { id: string } & Record<string, unknown>;
}

const authorize = (api: Agent, body: object) => api.post(`${ACCOUNTS}/org_wide/authorize`).send(body);
const details = (api: Agent, query: string) => api.get(`${ACCOUNTS}/details?${query}`);

/** A connection with the credential for all, which a tool needs. */
async function withCredential(booted: Booted) {
  const { id } = await connect(booted.api);
  const wanted = { connection_id: id, authorization_details: KEY };
  const { body } = await authorize(booted.api, wanted).expect(200);
  return { connection: id, account: body.connected_account_id as string };
}

describe('a connection with one credential for all', () => {
  it('says so in every answer, while other connections are for each user', async () => {
    const { api } = await fresh();

    const wide = await connect(api);
    const plain = await connect(api, { key_id: 'plain', auth_mode: undefined });

    expect([wide['auth_mode'], plain['auth_mode']]).toEqual(['ORG_WIDE', 'USER']);
    const { body } = await api.get(`${CONNECTIONS}?include=all`).expect(200);
    const modes = Object.fromEntries(
      body.connections.map((each: { key_id: string; auth_mode: string }) => [each.key_id, each.auth_mode]),
    );
    expect(modes).toMatchObject({ wide: 'ORG_WIDE', plain: 'USER' });
  });

  it('gets one account, which is active at once with credentials and is used again', async () => {
    const booted = await fresh();
    const { api } = booted;
    const { connection, account } = await withCredential(booted);

    const again = await authorize(api, { connection_id: connection, authorization_details: KEY }).expect(200);

    expect(again.body).toEqual({ connected_account_id: account, status: 'ACTIVE' });
    const listed = async (isWide: boolean) =>
      (await api.get(`${ACCOUNTS}?connector=wide&is_org_wide_credential=${isWide}`).expect(200)).body;
    await api
      .post(ACCOUNTS)
      .send({ connector: 'wide', identifier: 'nora', connected_account: {} })
      .expect(201);
    expect((await listed(true)).connected_accounts).toMatchObject([
      { id: account, is_org_wide_credential: true },
    ]);
    expect((await listed(false)).connected_accounts).toMatchObject([
      { identifier: 'nora', is_org_wide_credential: false },
    ]);
  });

  it('has tools that run for every user with that credential', async () => {
    const booted = await fresh();
    const { api } = booted;
    const { account } = await withCredential(booted);
    const run = () =>
      api.post('/api/v1/execute_tool').send({
        tool_name: 'exa_search',
        connector: 'wide',
        identifier: 'anybody',
        params: { query: 'bees' },
      });

    await run().expect(200);
    await booted.control
      .patch(`/state/connected_accounts/${account}`)
      .send({ status: 'EXPIRED' })
      .expect(200);

    expect((await run().expect(400)).body.message).toContain(`${account} is EXPIRED`);
  });

  it('lets a user who has an account run tools only after consent, and keeps no credentials of the user', async () => {
    const booted = await fresh();
    const { api, control } = booted;
    await withCredential(booted);
    const nora = { connector: 'wide', identifier: 'nora' };
    const made = await api
      .post(ACCOUNTS)
      .send({ ...nora, connected_account: {} })
      .expect(201);
    const { id } = made.body.connected_account;
    const run = () =>
      api.post('/api/v1/execute_tool').send({ tool_name: 'exa_search', ...nora, params: { query: 'bees' } });

    expect((await run().expect(400)).body.message).toContain(`${id} is PENDING_AUTH`);
    await control.post(`/connected_accounts/${id}/authorize`).send({}).expect(200);
    await run().expect(200);

    const { body } = await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200);
    expect(body.connected_account).not.toHaveProperty('authorization_details');
  });

  it('is found for any user who reads, and neither changed nor deleted under a wrong name', async () => {
    const booted = await fresh();
    const { api } = booted;
    const { account } = await withCredential(booted);
    const nobody = { connector: 'wide', identifier: 'nobody' };

    const { body } = await details(api, 'connector=wide&identifier=nobody').expect(200);
    await api.post(`${ACCOUNTS}:delete`).send(nobody).expect(404);
    await api
      .put(ACCOUNTS)
      .send({ ...nobody, connected_account: { api_config: {} } })
      .expect(404);

    expect(body.connected_account).toMatchObject({ id: account, is_org_wide_credential: true });
    await api.post(ACCOUNTS).send({ connector: 'plain', identifier: 'x', connected_account: {} }).expect(404);
  });

  it('answers a link where a third party asks for consent', async () => {
    const { api, control } = await fresh();
    const { id } = await connect(api, { provider_key: 'NOTION', type: 'OAUTH' });

    const { body } = await authorize(api, { connection_id: id }).expect(200);

    expect(body).toMatchObject({ status: 'PENDING_AUTH', link: expect.stringContaining('/magicLink/') });
    await control.post(`/connected_accounts/${body.connected_account_id}/authorize`).send({}).expect(200);
    const shown = await details(api, `id=${body.connected_account_id}`).expect(200);
    expect(shown.body.connected_account.status).toBe('ACTIVE');
  });

  it('is refused for an unknown connection, one of another mode, and without credentials', async () => {
    const { api } = await fresh();
    const plain = await connect(api, { key_id: 'plain', auth_mode: 'USER' });
    const wide = await connect(api);

    const messages = [];
    for (const body of [{ connection_id: 'conn_1' }, { connection_id: plain.id }, { connection_id: wide.id }])
      messages.push((await authorize(api, body).expect(400)).body);

    expect(messages[0].message).toContain('conn_1 not found');
    expect(messages[1].message).toContain('is USER, not ORG_WIDE');
    expect(messages[2].details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'authorization_details' },
    ]);
  });

  it('can be made and read over gRPC', async () => {
    const { at, token } = await onPort();
    const transport = grpcTo(new URL(at('http://localhost/')).origin);
    const method = METHODS.get('ConnectionService_CreateEnvironmentConnection')!;
    const connection = { providerKey: 'EXA', type: 8, keyId: 'wide', authMode: 2 };
    const message = createMessage(method.input, { connection } as never);

    const answer = await callRpc(transport, method, message, { authorization: `Bearer ${token}` });

    expect(answer).toMatchObject({ connection: { keyId: 'wide', authMode: 2 } });
  });
});
