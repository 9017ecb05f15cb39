import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { invalid, notFound, refusal, required } from '../../../../test/support/violations.ts';

/** With a fixed base URL, addresses are the same in each response. */
const HERE = { baseUrl: 'https://auth.acme.example' };
const MCPS = '/api/v1/mcp';
const SEEDED = 'mcp_10000000000000401';
const WANTED = {
  connected_account_identifier: 'research-bot',
  tool_mappings: [
    { connection_name: 'exa', tool_names: ['exa_search', 'exa_answer'] },
    { connection_name: 'notion' },
  ],
};

async function create(api: Agent, wanted: object = {}) {
  const { body } = await api
    .post(MCPS)
    .send({ ...WANTED, ...wanted })
    .expect(200);
  return body.mcp as { id: string; url: string };
}

const list = async (api: Agent, query = '') =>
  (await api.get(`${MCPS}?${query}`).expect(200)).body.mcps as { id: string }[];

describe('McpService_CreateMcp', () => {
  it('returns the server with the account status of the user for each connection', async () => {
    const { api } = await boot(HERE);

    const mcp = await create(api);

    expect(mcp).toEqual({
      id: expect.stringMatching(/^mcp_\d{17,}$/),
      tool_mappings: [
        { connection_name: 'exa', tool_names: ['exa_search', 'exa_answer'], status: 'ACTIVE' },
        { connection_name: 'notion', tool_names: [], status: '' },
      ],
      connected_account_identifier: 'research-bot',
      url: expect.stringMatching(/^https:\/\/auth\.acme\.example\/mcp\/v1\/[\da-f-]{36}$/),
    });
    expect((await api.get(`${MCPS}/${mcp.id}`).expect(200)).body).toEqual({ mcp });
  });

  it('puts the name of a non-default environment into the address', async () => {
    const { environment } = await boot();
    const { api } = await environment('worker-1');

    expect((await create(api)).url).toMatch(/\/mcp\/v1\/worker-1\.[\da-f-]{36}$/);
  });

  it('returns the existing server for the same tools in any order', async () => {
    const { api } = await boot(HERE);
    const created = await create(api);

    const again = await create(api, {
      id: 'mcp_1',
      url: 'http://x',
      tool_mappings: [
        { connection_name: 'notion', tool_names: [], status: 'ACTIVE' },
        { connection_name: 'exa', tool_names: ['exa_answer', 'exa_search'] },
      ],
    });

    expect(again).toEqual(created);
    expect(await list(api)).toHaveLength(2);
  });

  it.each([
    ['user', { connected_account_identifier: 'default' }],
    ['set of connections', { tool_mappings: [WANTED.tool_mappings[0]] }],
    ['set of tools', { tool_mappings: [{ connection_name: 'exa' }, { connection_name: 'notion' }] }],
  ])('creates a second server for another %s', async (_, other) => {
    const { api } = await boot();
    const created = await create(api);

    expect((await create(api, other)).id).not.toBe(created.id);
  });

  it.each([
    ['connection', { connection_name: 'nope' }, 'connection not found for key: nope'],
    [
      'tool',
      { connection_name: 'exa', tool_names: ['exa_nope'] },
      'tool not found: exa_nope; the setting tools.accept_unknown runs any tool',
    ],
  ])('refuses an unknown %s', async (_, mapping, message) => {
    const { api } = await boot();

    const refused = await api
      .post(MCPS)
      .send({ ...WANTED, tool_mappings: [mapping] })
      .expect(400);

    expect(refused.body).toEqual(invalid(message));
    expect(await list(api)).toHaveLength(1);
  });

  it('requires a user and at least one connection', async () => {
    const { api } = await boot();
    const sent = (body: object) => api.post(MCPS).send(body).expect(400);

    const none = await sent({});
    const empty = await sent({ connected_account_identifier: '', tool_mappings: [] });

    expect(none.body).toEqual(
      refusal(required('mcp.tool_mappings'), required('mcp.connected_account_identifier')),
    );
    expect(empty.body).toEqual(none.body);
  });
});

describe('McpService_ListMcp', () => {
  it('lists all servers, newest first', async () => {
    const { api } = await boot(HERE);
    const created = await create(api);

    const listed = await list(api);

    expect(listed.map(({ id }) => id)).toEqual([created.id, SEEDED]);
    expect(listed[0]).toEqual(created);
  });

  it.each([
    ['user', 'filter.connected_account_identifier=default', [SEEDED]],
    ['another user', 'filter.connected_account_identifier=nobody', []],
    ['the end of the address', 'filter.link_token=b8d4a2c6-1f7e-4b39-a0c5-3d4e5f6a7b8c', [SEEDED]],
    ['another address', 'filter.link_token=x', []],
    ['both', 'filter.link_token=x&filter.connected_account_identifier=default', []],
  ])('filters by %s', async (_, query, expected) => {
    const { api } = await boot();

    expect((await list(api, query)).map(({ id }) => id)).toEqual(expected);
  });
});

describe('an MCP server of one user', () => {
  it('can be deleted', async () => {
    const { api } = await boot();

    const deleted = await api.delete(`${MCPS}/${SEEDED}`).expect(200);

    expect(deleted.body).toEqual({});
    expect(await list(api)).toEqual([]);
  });

  it('loses the mapping of a deleted connection', async () => {
    const { api, control } = await boot();

    await control.delete('/state/connections/conn_10000000000000201').expect(204);

    expect((await list(api))[0]).toMatchObject({ id: SEEDED, tool_mappings: [] });
  });

  it.each(['get', 'delete'] as const)('answers 404 to %s when it does not exist', async (verb) => {
    const { api } = await boot();

    const missing = await api[verb](`${MCPS}/mcp_1`).expect(404);

    expect(missing.body).toEqual(notFound('mcp mcp_1 not found'));
  });
});
