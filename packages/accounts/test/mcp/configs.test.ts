import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { invalid, notFound, refusal, required, tooLong } from '../../../../test/support/violations.ts';
import { DAILY_BRIEF, RESEARCH } from '../../../../test/support/fixture-ids.ts';

/** With a fixed base URL, addresses are the same in each response. */
const HERE = { baseUrl: 'https://auth.acme.example' };
const CONFIGS = '/api/v1/mcp/configs';
const BLANK_SLATE = 'cfg_10000000000000403';

const GMAIL = {
  connection_id: 'conn_10000000000000201',
  connection_name: 'gmail',
  provider: 'GMAIL',
};
const TRIAGE = {
  name: 'inbox-triage',
  description: 'Reads new mail.',
  connection_tool_mappings: [{ connection_name: 'gmail', tools: ['gmail_fetch_mails'] }],
};

async function create(api: Agent, wanted: object = {}) {
  const { body } = await api
    .post(CONFIGS)
    .send({ ...TRIAGE, ...wanted })
    .expect(201);
  return body.config as { id: string; mcp_server_url: string };
}

const get = async (api: Agent, id: string) =>
  (await api.get(`${CONFIGS}/${id}`).expect(200)).body.config as Record<string, unknown>;

async function names(api: Agent, query: Record<string, string>) {
  const { body } = await api.get(`${CONFIGS}?${new URLSearchParams(query).toString()}`).expect(200);
  expect(body.total_size).toBe(body.configs.length);
  return body.configs.map(({ name }: { name: string }) => name);
}

describe('McpService_CreateMcpConfig', () => {
  it('returns the configuration with the attributes of its connections', async () => {
    const { api } = await boot(HERE);

    const config = await create(api);

    expect(config).toEqual({
      ...TRIAGE,
      id: expect.stringMatching(/^cfg_\d{17,}$/),
      connection_tool_mappings: [{ ...GMAIL, tools: ['gmail_fetch_mails'] }],
      mcp_server_url: expect.stringMatching(
        /^https:\/\/auth\.acme\.example\/mcp\/v3\/servers\/[\da-f-]{36}$/,
      ),
    });
    expect(await get(api, config.id)).toEqual(config);
  });

  it('requires only a name', async () => {
    const { api } = await boot();

    const created = await api.post(CONFIGS).send({ name: 'bare_1-x' }).expect(201);

    expect(created.body.config).toMatchObject({ description: '', connection_tool_mappings: [] });
  });

  it('stores an empty list when no tools are given, and removes duplicate tools', async () => {
    const { api } = await boot();
    const tools = ['slack_send_message', 'slack_send_message', 'slack_list_channels'];

    const config = await create(api, {
      connection_tool_mappings: [{ connection_name: 'gmail' }, { connection_name: 'slack', tools }],
    });

    expect(config).toMatchObject({
      connection_tool_mappings: [
        { connection_name: 'gmail', tools: [] },
        { connection_name: 'slack', tools: ['slack_send_message', 'slack_list_channels'] },
      ],
    });
  });

  it('ignores values that only the service sets', async () => {
    const { api } = await boot();
    const mapping = { ...GMAIL, connection_id: 'conn_1', provider: 'X', connected_account_status: 'ACTIVE' };

    const config = await create(api, {
      id: 'cfg_1',
      mcp_server_url: 'http://x',
      connection_tool_mappings: [{ ...mapping, connected_account_id: 'ca_1' }],
    });

    expect(config.id).not.toBe('cfg_1');
    expect(config.mcp_server_url).not.toBe('http://x');
    expect(config).toMatchObject({ connection_tool_mappings: [{ ...GMAIL, tools: [] }] });
  });

  it('puts the name of a non-default environment into the server address', async () => {
    const { environment } = await boot();
    const { api } = await environment('worker-1');

    expect((await create(api)).mcp_server_url).toMatch(/\/mcp\/v3\/servers\/worker-1\.[\da-f-]{36}$/);
  });

  it.each([
    ['a taken name', { name: 'research' }, 'duplicate key not allowed: mcp config research exists already'],
    [
      'an unknown connection',
      { connection_tool_mappings: [{ connection_name: 'Gmail' }] },
      'connection not found for key: Gmail',
    ],
    [
      'an unknown tool',
      { connection_tool_mappings: [{ connection_name: 'gmail', tools: ['gmail_nope'] }] },
      'tool not found: gmail_nope; the setting tools.accept_unknown runs any tool',
    ],
    [
      'a tool of another provider',
      { connection_tool_mappings: [{ connection_name: 'gmail', tools: ['slack_send_message'] }] },
      'tool slack_send_message is of SLACK, connection gmail of GMAIL',
    ],
    [
      'a duplicate connection',
      { connection_tool_mappings: [{ connection_name: 'gmail' }, { connection_name: 'gmail' }] },
      'connection gmail is mapped more than once',
    ],
  ])('refuses %s and stores nothing', async (_, wrong, message) => {
    const { api } = await boot();

    const refused = await api
      .post(CONFIGS)
      .send({ ...TRIAGE, ...wrong })
      .expect(400);

    expect(refused.body).toEqual(invalid(message));
    expect(await names(api, {})).toEqual(['blank_slate', 'daily-brief', 'research']);
  });

  it('enforces the limits of name and mappings', async () => {
    const { api } = await boot();
    const mapping = { connection_name: 'gmail' };
    const sent = (wanted: object) => api.post(CONFIGS).send({ ...TRIAGE, ...wanted });

    const empty = await sent({ name: '', connection_tool_mappings: [{ connection_name: '' }] }).expect(400);
    const long = await sent({ name: 'x'.repeat(101) }).expect(400);
    const many = await sent({ connection_tool_mappings: Array.from({ length: 26 }, () => mapping) }).expect(
      400,
    );
    const capital = await sent({ name: 'Inbox' }).expect(400);

    const name = 'config.name';
    const first = 'config.connection_tool_mappings[0].connection_name';
    expect(empty.body).toEqual(refusal(required(name), required(first)));
    expect(long.body).toEqual(refusal(tooLong(100)(name)));
    expect(many.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'config.connection_tool_mappings', constraint: 'repeated.max_items' },
    ]);
    expect(capital.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: name, constraint: 'string.pattern' },
    ]);
    await create(api, { name: 'x'.repeat(100) });
  });
});

describe('McpService_ListMcpConfigs', () => {
  it.each([
    ['id', { 'filter.id': RESEARCH }, ['research']],
    ['name in any letter case', { 'filter.name': 'Daily-Brief' }, ['daily-brief']],
    ['a part of the name (no match)', { 'filter.name': 'daily' }, []],
    ['provider in any letter case', { 'filter.provider': 'notion' }, ['daily-brief']],
    ['a provider without connections', { 'filter.provider': 'GMAIL' }, []],
    [
      'the end of the address',
      { 'filter.mcp_server_url': 'https://any.example/mcp/v3/servers/5d0f2a61-7c1e-4b8a-9f35-0a1b2c3d4e5f' },
      ['research'],
    ],
    ['another address', { 'filter.mcp_server_url': 'https://any.example/mcp/v3/servers/x' }, []],
    ['id and another address', { 'filter.id': RESEARCH, 'filter.mcp_server_url': 'x' }, []],
    ['search text in the name', { search: 'RE' }, ['research']],
    ['search text outside the name', { search: 'analyst' }, []],
    ['two filters', { 'filter.id': RESEARCH, 'filter.name': 'daily-brief' }, []],
    ['empty filters', { 'filter.id': '', search: '' }, ['blank_slate', 'daily-brief', 'research']],
  ])('filters by %s', async (_, query, expected) => {
    const { api } = await boot();

    expect(await names(api, query)).toEqual(expected);
  });

  it('pages through the configurations, newest first', async () => {
    const { api } = await boot();

    const first = await api.get(`${CONFIGS}?page_size=2`).expect(200);
    const second = await api
      .get(`${CONFIGS}?page_size=2&page_token=${first.body.next_page_token}`)
      .expect(200);

    expect(first.body).toMatchObject({
      configs: [{ id: BLANK_SLATE }, { id: DAILY_BRIEF }],
      prev_page_token: '',
      total_size: 3,
    });
    expect(second.body).toMatchObject({ configs: [{ id: RESEARCH }], next_page_token: '', total_size: 3 });
  });

  it('accepts page sizes up to 30', async () => {
    const { api } = await boot();

    await api.get(`${CONFIGS}?page_size=30`).expect(200);
    await api.get(`${CONFIGS}?page_size=31`).expect(400);
    await api.get(`${CONFIGS}?page_token=nope`).expect(400);
  });
});

describe('McpService_UpdateMcpConfig', () => {
  it('replaces all mappings', async () => {
    const { api } = await boot(HERE);
    const before = await get(api, DAILY_BRIEF);

    const updated = await api
      .put(`${CONFIGS}/${DAILY_BRIEF}`)
      .send({ connection_tool_mappings: [{ connection_name: 'gmail' }] })
      .expect(200);

    const after = { ...before, connection_tool_mappings: [{ ...GMAIL, tools: [] }] };
    expect(updated.body.config).toEqual(after);
    expect(await get(api, DAILY_BRIEF)).toEqual(after);
  });

  it.each([
    ['only a description', { description: '' }, { description: '' }],
    ['an empty list', { connection_tool_mappings: [] }, { connection_tool_mappings: [] }],
    ['nothing', {}, {}],
    ['a name and ignores it', { name: 'other' }, {}],
  ])('accepts %s', async (_, change, changed) => {
    const { api } = await boot(HERE);
    const before = await get(api, RESEARCH);

    const updated = await api.put(`${CONFIGS}/${RESEARCH}`).send(change).expect(200);

    expect(updated.body.config).toEqual({ ...before, ...changed });
  });

  it('refuses unknown connections and changes nothing', async () => {
    const { api } = await boot(HERE);
    const before = await get(api, RESEARCH);
    const change = { description: 'x', connection_tool_mappings: [{ connection_name: 'nope' }] };

    await api.put(`${CONFIGS}/${RESEARCH}`).send(change).expect(400);

    expect(await get(api, RESEARCH)).toEqual(before);
  });
});

describe('an MCP configuration', () => {
  it('is deleted with its instances', async () => {
    const { api } = await boot();

    const deleted = await api.delete(`${CONFIGS}/${DAILY_BRIEF}`).expect(200);

    expect(deleted.body).toEqual({});
    const { body } = await api.get('/api/v1/mcp/instances').expect(200);
    expect(body.instances.map(({ id }: { id: string }) => id)).toEqual(['inst_10000000000000401']);
  });

  it('loses the mappings of a deleted connection', async () => {
    const { api, control } = await boot();

    await control.delete('/state/connections/conn_10000000000000211').expect(204);

    expect(await get(api, RESEARCH)).toMatchObject({
      connection_tool_mappings: [{ connection_name: 'apifymcp', tools: [] }],
    });
  });

  it.each(['get', 'put', 'delete'] as const)('answers 404 to %s when it does not exist', async (verb) => {
    const { api } = await boot();

    const missing = await api[verb](`${CONFIGS}/cfg_1`).expect(404);

    expect(missing.body).toEqual(notFound('mcp config cfg_1 not found'));
  });
});
