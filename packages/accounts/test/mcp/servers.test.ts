import { describe, expect, it } from 'vitest';
import {
  bootPort,
  configServer,
  connectAgent,
  connectionServer,
  instanceUrl,
  RESEARCH,
  type Revision,
} from '../../../../test/support/mcp.ts';

const fresh = bootPort();
const REVISIONS: Revision[] = ['2025-11-25', '2026-07-28'];

describe('The MCP server of an instance', () => {
  it.each(REVISIONS)('lists and runs the tools of its configuration (%s)', async (revision) => {
    const { api, at, control } = await fresh();
    const { client } = await connectAgent(at(await instanceUrl(api)), { revision });

    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['exa_search', 'exa_answer']));
    expect(answer.isError).toBeFalsy();
    expect(JSON.parse((answer.content[0] as { text: string }).text)).toEqual(answer.structuredContent);
    const calls = await control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    expect(calls.body.requests).toMatchObject([{ protocol: 'mcp', status: 200 }]);
  });

  it('is marked as used when a tool ran, not before', async () => {
    const { api, at, control } = await fresh();
    const { body: clock } = await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const url = await instanceUrl(api, { ...RESEARCH, name: 'unused' });
    const { client } = await connectAgent(at(url));
    const lastUse = async () => {
      const { body } = await api.get('/api/v1/mcp/instances?filter.name=unused').expect(200);
      return body.instances[0].last_used_at as string;
    };
    await client.listTools();
    expect(await lastUse()).toBe('0001-01-01T00:00:00Z');

    await client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });

    expect(await lastUse()).toBe(clock.now);
  });
});

describe('The MCP server of a configuration', () => {
  it.each(REVISIONS)('takes the session token of a user (%s)', async (revision) => {
    const { api, at } = await fresh();
    const { url, token } = await configServer(api);
    const { client } = await connectAgent(at(url), { token, revision });

    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });

    expect(answer.isError).toBeFalsy();
    expect(client.getServerVersion()).toMatchObject({ name: 'research' });
  });

  it('says where its metadata are to a client without a token, and the metadata name it', async () => {
    const { api, anonymous } = await fresh();
    const { url } = await configServer(api);

    const refused = await anonymous.post(new URL(url).pathname).send({}).expect(401);

    const challenge = /^Bearer resource_metadata="([^"]+)"$/.exec(refused.headers['www-authenticate'] ?? '');
    const metadata = await anonymous.get(new URL(challenge![1]!).pathname).expect(200);
    expect(new URL(metadata.body.resource).pathname).toBe(new URL(url).pathname);
    expect(metadata.body).toMatchObject({ resource_name: 'research', bearer_methods_supported: ['header'] });
  });

  it('runs tools that the environment does not have, if the settings accept them', async () => {
    const { api, at, control } = await fresh();
    const settings = { tools: { accept_unknown: true } };
    await control.patch('/state/settings/settings').send(settings).expect(200);
    const connection_tool_mappings = [{ connection_name: 'exa', tools: ['exa_dream', 'exa_search'] }];
    const config = { name: 'dreams', connection_tool_mappings };
    const { body } = await api.post('/api/v1/mcp/configs').send(config).expect(201);
    const { url, token } = await configServer(api, body.config.id);
    const { client } = await connectAgent(at(url), { token });

    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: 'exa_dream', arguments: { of: 'bees' } });

    expect(tools.map(({ name }) => name).toSorted()).toEqual(['exa_dream', 'exa_search']);
    const told = { tool_name: 'exa_dream', params: { of: 'bees' } };
    expect(JSON.parse((answer.content[0] as { text: string }).text)).toEqual(told);
  });

  it('shows only tools that read to a token for reading', async () => {
    const { api, at } = await fresh();
    const { url, token } = await configServer(api, 'cfg_10000000000000401', { access_level: 'READ_ONLY' });
    const { client } = await connectAgent(at(url), { token });

    const { tools } = await client.listTools();

    expect(tools.length).toBeGreaterThan(0);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  });
});

describe('The MCP server of a connection', () => {
  it('refuses the token of a configuration with the connection', async () => {
    const { api, anonymous } = await fresh();
    const { token } = await configServer(api);
    const headers = { authorization: `Bearer ${token}` };

    const refused = await anonymous.post('/mcp/v3/connections/exa').set(headers).send({}).expect(401);

    expect(refused.body.error.message).toBe('token is for another MCP server');
  });

  it('lists and runs the tools of the connection for a token of the connection', async () => {
    const { api, at } = await fresh();
    const { token, url } = await connectionServer(api);
    const { client } = await connectAgent(at(url), { token });

    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });

    expect(tools.map(({ name }) => name)).toContain('exa_find_similar');
    expect(answer.isError).toBeFalsy();
  });

  it('refuses a token of another connection, and of one that was deleted', async () => {
    const { api, anonymous, control } = await fresh();
    const { token, url } = await connectionServer(api);
    const send = (path: string) =>
      anonymous
        .post(path)
        .set({ authorization: `Bearer ${token}` })
        .send({});
    const { pathname } = new URL(url);

    const other = await send('/mcp/v3/connections/apifymcp').expect(401);
    const configs = await api.get(`/api/v1/mcp/configs/cfg_10000000000000401`).expect(200);
    await send(new URL(configs.body.config.mcp_server_url).pathname).expect(401);
    await control.delete('/state/connections/conn_10000000000000211').expect(204);
    const gone = await send(pathname).expect(401);

    expect(other.body.error.message).toBe('token is for another MCP server');
    expect(gone.body.error.message).toBe('connection of the token is gone');
  });

  it('answers at the address that the list of connections gives, for each of them', async () => {
    const { api, anonymous, control } = await fresh();
    await control
      .patch('/state/connections/conn_10000000000000201')
      .send({ key_id: 'my mail:1' })
      .expect(200);
    const { connections } = (await api.get('/api/v1/connections/app?page_size=30').expect(200)).body;

    for (const { key_id, mcp_server_url } of connections) {
      const { pathname } = new URL(mcp_server_url);
      await anonymous.post(pathname).send({}).expect(401);
      const { body } = await anonymous.get(`/.well-known/oauth-protected-resource${pathname}`).expect(200);
      expect(body).toMatchObject({ resource: mcp_server_url, resource_name: key_id });
    }
    expect(connections.map(({ key_id }: { key_id: string }) => key_id)).toContain('my mail:1');
  });
});

describe('A tool of an MCP server', () => {
  it('fails as a result that the model can read, for params that break its schema', async () => {
    const { api, at } = await fresh();
    const { client } = await connectAgent(at(await instanceUrl(api)));

    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 5 } });

    expect(answer).toMatchObject({ isError: true, _meta: { error_code: 'INVALID_ARGUMENT' } });
    expect(answer.content).toEqual([
      { type: 'text', text: expect.stringContaining('tool validation failed') },
    ]);
  });

  it('fails, with the link, for a token that is older than the authorization', async () => {
    const { api, at } = await fresh();
    const path = '/api/v1/mcp/connections/exa/tokens';
    const { token } = (await api.post(path).send({ identifier: 'newcomer' }).expect(200)).body;
    const { client } = await connectAgent(at('http://any/mcp/v3/connections/exa'), { token });

    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });

    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/PENDING_AUTH.*\n.*open http\S+\/magicLink\//) }],
    });
  });

  it('gives the link to authorize an account that is not active', async () => {
    const { api, at } = await fresh();
    const user_identifier = 'new@acme.example';
    const { client } = await connectAgent(at(await instanceUrl(api, { ...RESEARCH, user_identifier })));

    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });

    expect(answer.isError).toBe(true);
    expect(answer.content).toMatchObject([{ text: expect.stringMatching(/open http\S+\/magicLink\/\S+/) }]);
    const { body } = await api.get(`/api/v1/connected_accounts?identifier=${user_identifier}`).expect(200);
    expect(body.connected_accounts).toMatchObject([{ status: 'PENDING_AUTH', connector: 'exa' }]);
  });

  it('obeys scenarios for ToolService_ExecuteTool and for the server', async () => {
    const { api, at, control } = await fresh();
    const { client } = await connectAgent(at(await instanceUrl(api)));
    const call = () => client.callTool({ name: 'exa_search', arguments: { query: 'bees' } });
    const load = (on: string, reply: object) =>
      control
        .post('/scenarios')
        .send({ name: 'agents', rules: [{ on, times: 1, reply }] })
        .expect(201);

    await load('ToolService_ExecuteTool', {
      error: 'tool_error',
      tool: { code: 'RATE_LIMIT_EXCEEDED', message: 'quota exceeded' },
    });
    expect(await call()).toMatchObject({ isError: true, _meta: { tool_error_code: 'RATE_LIMIT_EXCEEDED' } });
    await load('ToolService_ExecuteTool', { error: 'unavailable' });
    await expect(call()).rejects.toMatchObject({ code: -32603 });
    await load('McpServer_SendMessage', { error: 'rate_limited' });
    await expect(call()).rejects.toThrow(/429|rate/i);
    expect((await call()).isError).toBeFalsy();
  });
});
