import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { invalid, notFound, refusal, required, tooLong } from '../../../../test/support/violations.ts';

/** With a fixed base URL, addresses are the same in each response. */
const HERE = { baseUrl: 'https://auth.acme.example' };
const NOW = '2030-01-01T00:00:00.000Z';
const INSTANCES = '/api/v1/mcp/instances';
const BOT = 'inst_10000000000000401';
const ADA = 'inst_10000000000000402';
const RAVI = 'inst_10000000000000403';
const SALES = 'inst_10000000000000404';
const LEA = { config_name: 'research', user_identifier: 'lea@acme.example' };

async function ensure(api: Agent, wanted: object = {}) {
  const { body } = await api
    .post(INSTANCES)
    .send({ ...LEA, ...wanted })
    .expect(200);
  return body.instance as { id: string; name: string };
}

const get = async (api: Agent, id: string) => (await api.get(`${INSTANCES}/${id}`).expect(200)).body.instance;

async function ids(api: Agent, query: Record<string, string> = {}) {
  const { body } = await api.get(`${INSTANCES}?${new URLSearchParams(query).toString()}`).expect(200);
  expect(body.total_size).toBe(body.instances.length);
  return body.instances.map(({ id }: { id: string }) => id);
}

describe('McpService_EnsureMcpInstance', () => {
  it('creates the instance of a configuration for a user', async () => {
    const { api } = await boot({ ...HERE, now: NOW });
    const { body } = await api.get('/api/v1/mcp/configs/cfg_10000000000000401').expect(200);

    const instance = await ensure(api);

    expect(instance).toEqual({
      id: expect.stringMatching(/^inst_\d{17,}$/),
      name: 'research-lea@acme.example',
      user_identifier: 'lea@acme.example',
      config: body.config,
      last_used_at: '0001-01-01T00:00:00Z',
      updated_at: NOW,
      url: expect.stringMatching(/^https:\/\/auth\.acme\.example\/mcp\/v1\/[\da-f-]{36}$/),
    });
    expect(await get(api, instance.id)).toEqual(instance);
  });

  it('returns the existing instance for the same call, later and without a name', async () => {
    const { api, control } = await boot({ ...HERE, now: NOW });
    const created = await ensure(api, { name: "Lea's desk" });
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    expect(await ensure(api, { name: "Lea's desk" })).toEqual(created);
    expect(await ensure(api)).toEqual(created);
    expect(await ensure(api, { name: '' })).toEqual(created);
    expect(await ids(api, { 'filter.user_identifier': LEA.user_identifier })).toEqual([created.id]);
  });

  it.each([
    ['user', { user_identifier: 'tom@acme.example' }],
    ['configuration', { config_name: 'daily-brief' }],
    ['name', { name: 'other' }],
  ])('creates a second instance for another %s', async (_, other) => {
    const { api } = await boot();
    const created = await ensure(api, { name: 'desk' });

    const second = await ensure(api, { name: 'desk', ...other });

    expect(second.id).not.toBe(created.id);
  });

  it('puts the name of a non-default environment into the address', async () => {
    const { environment } = await boot();
    const { api } = await environment('worker-1');

    expect(await ensure(api)).toMatchObject({
      url: expect.stringMatching(/\/mcp\/v1\/worker-1\.[\da-f-]{36}$/),
    });
  });

  it('answers 404 for an unknown configuration', async () => {
    const { api } = await boot();

    const refused = await api
      .post(INSTANCES)
      .send({ ...LEA, config_name: 'nope' })
      .expect(404);

    expect(refused.body).toEqual(notFound('mcp config nope not found'));
  });

  it('requires a configuration and a user', async () => {
    const { api } = await boot();
    const sent = (body: object) => api.post(INSTANCES).send(body).expect(400);

    const none = await sent({});
    const empty = await sent({ config_name: '', user_identifier: '' });
    const long = await sent({ ...LEA, user_identifier: 'x'.repeat(101) });

    expect(none.body).toEqual(refusal(required('config_name'), required('user_identifier')));
    expect(empty.body).toEqual(none.body);
    expect(long.body).toEqual(refusal(tooLong(100)('user_identifier')));
  });
});

describe('an MCP instance', () => {
  it('shows the account status of its user for each connection of the configuration', async () => {
    const { api } = await boot();
    const statuses = async (id: string) =>
      (await get(api, id)).config.connection_tool_mappings.map(
        (each: { connected_account_status?: string }) => each.connected_account_status,
      );

    expect(await statuses(BOT)).toEqual(['ACTIVE', 'ACTIVE']);
    expect(await statuses(ADA)).toEqual(['PENDING_AUTH', 'PENDING_VERIFICATION', undefined, undefined]);
    expect(await statuses(RAVI)).toEqual([undefined, undefined, 'EXPIRED', undefined]);
    expect(await statuses(SALES)).toEqual([undefined, undefined, undefined, 'DISCONNECTED']);
  });

  it('shows a change of the account of its user', async () => {
    const { api } = await boot();
    await api
      .put('/api/v1/connected_accounts')
      .send({
        id: 'ca_10000000000000305',
        connected_account: { authorization_details: { oauth_token: { access_token: 'at-1' } } },
      })
      .expect(200);

    expect((await get(api, ADA)).config.connection_tool_mappings[0]).toEqual({
      connection_id: 'conn_10000000000000204',
      connection_name: 'notion',
      provider: 'NOTION',
      tools: ['notion_page_search'],
      connected_account_id: 'ca_10000000000000305',
      connected_account_status: 'ACTIVE',
    });
  });

  it('shows EXPIRED when the token of its user expires', async () => {
    const { api, control } = await boot({ now: NOW });
    const account = { token_expires_at: '2030-01-01T01:00:00Z' };
    await control.patch('/state/connected_accounts/ca_10000000000000309').send(account).expect(200);
    const status = async () =>
      (await get(api, BOT)).config.connection_tool_mappings[0].connected_account_status;

    expect(await status()).toBe('ACTIVE');
    await control.post('/clock/advance').send({ by: '2h' }).expect(200);
    expect(await status()).toBe('EXPIRED');
  });

  it('returns last_used_at, or the zero time when it was never used', async () => {
    const { api } = await boot({ now: NOW });

    expect((await get(api, BOT)).last_used_at).not.toMatch(/^0001/);
    expect((await get(api, ADA)).last_used_at).toBe('0001-01-01T00:00:00Z');
  });

  it('can be deleted', async () => {
    const { api } = await boot();

    const deleted = await api.delete(`${INSTANCES}/${ADA}`).expect(200);

    expect(deleted.body).toEqual({});
    expect(await ids(api)).toEqual([SALES, RAVI, BOT]);
  });

  it.each(['get', 'patch', 'delete'] as const)('answers 404 to %s when it does not exist', async (verb) => {
    const { api } = await boot();

    const missing = await api[verb](`${INSTANCES}/inst_1`).expect(404);

    expect(missing.body).toEqual(notFound('mcp instance inst_1 not found'));
  });
});

describe('McpService_UpdateMcpInstance', () => {
  const update = (api: Agent, id: string, change: object) => api.patch(`${INSTANCES}/${id}`).send(change);

  it('changes only the name', async () => {
    const { api } = await boot({ ...HERE, now: NOW });
    const before = await get(api, ADA);

    const updated = await update(api, ADA, { name: 'mornings' }).expect(200);

    expect(updated.body.instance).toEqual({ ...before, name: 'mornings', updated_at: NOW });
    expect(await get(api, ADA)).toEqual(updated.body.instance);
  });

  it('switches to the connections of another configuration', async () => {
    const { api } = await boot();

    const updated = await update(api, BOT, { config_name: 'daily-brief', name: '' }).expect(200);

    expect(updated.body.instance).toMatchObject({
      name: 'research-research-bot',
      config: {
        name: 'daily-brief',
        connection_tool_mappings: [
          { connection_name: 'notion' },
          { connection_name: 'googlecalendar' },
          { connection_name: 'github' },
          { connection_name: 'hubspot' },
        ],
      },
    });
  });

  it('answers 404 for an unknown configuration', async () => {
    const { api } = await boot();

    const refused = await update(api, ADA, { config_name: 'nope' }).expect(404);

    expect(refused.body).toEqual(notFound('mcp config nope not found'));
  });

  it('refuses a name that the same user already uses in the configuration', async () => {
    const { api } = await boot();
    const first = await ensure(api, { name: 'first' });
    await ensure(api, { name: 'second' });

    const refused = await update(api, first.id, { name: 'second' }).expect(400);
    await update(api, first.id, { name: 'first' }).expect(200);
    await update(api, ADA, { name: 'second' }).expect(200);

    expect(refused.body).toEqual(invalid('duplicate key not allowed: mcp instance second exists already'));
  });
});

describe('McpService_ListMcpInstances', () => {
  it.each([
    ['id', { 'filter.id': ADA }, [ADA]],
    ['the whole name', { 'filter.name': 'sales-brief' }, [SALES]],
    ['a part of the name (no match)', { 'filter.name': 'sales' }, []],
    ['configuration', { 'filter.config_name': 'daily-brief' }, [SALES, RAVI, ADA]],
    ['an unknown configuration', { 'filter.config_name': 'nope' }, []],
    ['user', { 'filter.user_identifier': 'ravi@acme.example' }, [RAVI]],
    ['search text in any letter case', { search: 'MORNINGS' }, [RAVI, ADA]],
    ['id and name', { 'filter.id': ADA, 'filter.name': 'sales-brief' }, []],
    [
      'user and configuration',
      { 'filter.user_identifier': 'sales-team', 'filter.config_name': 'research' },
      [],
    ],
    ['id and user', { 'filter.id': ADA, 'filter.user_identifier': 'sales-team' }, []],
  ])('filters by %s', async (_, query, expected) => {
    const { api } = await boot();

    expect(await ids(api, query)).toEqual(expected);
  });

  it('pages through the instances, newest first', async () => {
    const { api } = await boot();

    const first = await api.get(`${INSTANCES}?page_size=3`).expect(200);
    const second = await api
      .get(`${INSTANCES}?page_size=3&page_token=${first.body.next_page_token}`)
      .expect(200);

    expect(first.body).toMatchObject({
      instances: [{ id: SALES }, { id: RAVI }, { id: ADA }],
      prev_page_token: '',
      total_size: 4,
    });
    expect(second.body).toMatchObject({ instances: [{ id: BOT }], next_page_token: '', total_size: 4 });
    await api.get(`${INSTANCES}?page_size=31`).expect(400);
  });
});
