import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { receiver } from '../../../../test/support/receiver.ts';
import { bootPort, connectAgent, instanceUrl } from '../../../../test/support/mcp.ts';
import { addConnection, execute, listed, OWNER, STATIC } from '../../../../test/support/remote-mcp.ts';

const fresh = bootPort();

/** An environment plays the real MCP server; the connection of another one leads there. */
async function connectionWithServer(mcp_server_url?: string) {
  const [server, user] = [await fresh(), await fresh()];
  const url = mcp_server_url ?? server.at(await instanceUrl(server.api));
  await addConnection(user, 'own-mcp', url);
  return { server, user };
}

describe('A connection to an MCP server of this machine', () => {
  it('has the tools of the server, and passes calls on to it', async () => {
    const { server, user } = await connectionWithServer();

    expect(await listed(user)).toContain('c-own-mcp_exa_search');
    const { body } = await execute(user, 'c-own-mcp_exa_search', { query: 'bees' }).expect(200);

    expect(body.data.results).toEqual(expect.any(Array));
    const calls = await server.control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    expect(calls.body.requests).toMatchObject([{ request: { body: { params: { query: 'bees' } } } }]);
    const own = await user.control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    const [{ providers }] = own.body.requests;
    expect(providers).toMatchObject([
      {
        provider: 'own-mcp',
        status: 200,
        request: {
          headers: { authorization: '[redacted]' },
          body: { method: 'tools/call', params: { name: 'exa_search' } },
        },
      },
    ]);
  });

  it('offers them to agents', async () => {
    const { user } = await connectionWithServer();
    const mapping = [{ connection_name: 'own-mcp', tools: ['c-own-mcp_exa_search'] }];
    await user.api
      .post('/api/v1/mcp/configs')
      .send({ name: 'passed-on', connection_tool_mappings: mapping })
      .expect(201);
    const url = await instanceUrl(user.api, { config_name: 'passed-on', user_identifier: 'ada' });
    const { client } = await connectAgent(user.at(url));

    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: 'c-own-mcp_exa_search', arguments: { query: 'bees' } });

    expect(tools.map(({ name }) => name)).toEqual(['c-own-mcp_exa_search']);
    expect(answer.isError).toBeFalsy();
  });

  it('lists them again after a minute of the clock', async () => {
    const { server, user } = await connectionWithServer();
    await user.control.put('/clock').send({ mode: 'frozen' }).expect(200);
    await listed(user);
    const { body } = await server.control.get('/state/tools').expect(200);
    for (const { id, provider } of body.rows)
      if (provider === 'EXA') await server.control.delete(`/state/tools/${id}`).expect(204);

    expect(await listed(user)).toContain('c-own-mcp_exa_search');
    await user.control.post('/clock/advance').send({ by: '1m' }).expect(200);

    expect(await listed(user)).not.toContain('c-own-mcp_exa_search');
  });

  it('tells the failure of a tool', async () => {
    const { server, user } = await connectionWithServer();
    const tool = { code: 'RATE_LIMIT_EXCEEDED', message: 'quota exceeded' };
    const rules = [{ on: 'ToolService_ExecuteTool', reply: { error: 'tool_error', tool } }];
    await server.control.post('/scenarios').send({ name: 'failing', rules }).expect(201);

    const refused = await execute(user, 'c-own-mcp_exa_search', { query: 'bees' }).expect(500);

    expect(refused.body.details[0]).toMatchObject({
      error_code: 'TOOL_ERROR',
      tool_error_info: { tool_error_code: 'TOOL_EXEC_FAILED', tool_error_message: 'quota exceeded' },
    });
  });

  it.each([
    ['cannot be reached', 'http://127.0.0.1:1/mcp', 503, /which plays own-mcp, cannot be reached/],
    [
      'is of another machine',
      'http://192.0.2.1/mcp',
      400,
      /not called: 192.0.2.1 is not on this machine, and --webhook-allow does not name it/,
    ],
  ])('says that the server %s', async (_, url, status, message) => {
    const { user } = await connectionWithServer(url);
    const path = '/api/v1/tools?filter.connector=own-mcp';

    const refused = await user.api.get(path).expect(status);
    const tool = await execute(user, 'c-own-mcp_search-actors', { keywords: 'bees' });

    expect(refused.body.message).toMatch(message);
    expect(tool.status).toBe(status);
    expect(tool.body.details[0].tool_error_info.tool_error_message).toMatch(message);
  });
});

/** A server that lists its tools as `list` says. undefined: it never answers that. */
async function listingServer(list: (cursor: unknown) => object | undefined) {
  const server = await receiver();
  const serverInfo = { name: 'lists', version: '1' };
  server.answers((response, { body }) => {
    const { id, method, params } = body as { id: unknown; method: string; params?: { cursor?: unknown } };
    const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    const result = method === 'tools/list' ? list(params?.cursor) : initialized;
    if (!result) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  return server;
}

const LIST = '/api/v1/tools?filter.connector=own-mcp';

describe('An MCP server that lists a tool with an invalid schema', () => {
  it('has its other tools, and so have other environments', async () => {
    const inputSchema = { type: 'object' };
    const bad = { type: 'object', properties: { a: { type: 'nope' } } };
    const server = await listingServer(() => ({
      tools: [
        { name: 'bad', inputSchema: bad },
        { name: 'good', inputSchema },
      ],
    }));
    const { user, server: other } = await connectionWithServer(server.url);

    const refused = await execute(user, 'c-own-mcp_bad', {}).expect(400);
    const good = await execute(user, 'c-own-mcp_good', {}).expect(200);
    await other.api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'gmail_fetch_mails', identifier: 'default' })
      .expect(200);

    expect(refused.body.message).toMatch(
      /the schema of \S+ cannot be used: .*schema\/properties\/a\/type must be/,
    );
    expect(good.body.data).toEqual(expect.any(Object));
  });
});

describe('An MCP server that has no list of tools', () => {
  it('is given up after 10 seconds, and not asked again for 10 seconds of the clock', async () => {
    const server = await listingServer(() => undefined);
    const { user } = await connectionWithServer(server.url);
    await user.control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const lists = () => server.received.filter(({ body }) => body['method'] === 'tools/list').length;

    const late = await user.api.get(LIST).expect(504);
    const again = await user.api.get(LIST).expect(504);
    const asked = lists();
    server.answers((response) => response.writeHead(500).end());
    await user.control.post('/clock/advance').send({ by: '10s' }).expect(200);
    const broken = await user.api.get(LIST).expect(503);

    expect(late.body.message).toMatch(/which plays own-mcp, did not answer within 10 s$/);
    expect(again.body.message).toMatch(
      /within 10 s \(failed at .*, and is asked again 10 s later by the clock/,
    );
    expect(asked).toBe(1);
    expect(broken.body.message).toMatch(/gave no valid answer/);
  });

  it('is asked at once when the connection has another address', async () => {
    const { server, user } = await connectionWithServer();
    const [{ id, mcp_server_url }] = (
      await user.control.get('/state/connections').expect(200)
    ).body.rows.filter(({ key_id }: { key_id: string }) => key_id === 'own-mcp');
    const change = (url: string) =>
      user.control.patch(`/state/connections/${id}`).send({ mcp_server_url: url }).expect(200);
    await change('http://127.0.0.1:1/mcp');
    await user.api.get(LIST).expect(503);

    await change(mcp_server_url);

    expect(await listed(user)).toContain('c-own-mcp_exa_search');
    expect(server).toBeDefined();
  });

  it('and names a next page without end is refused', async () => {
    const server = await listingServer((cursor = 0) => ({ tools: [], nextCursor: `${Number(cursor) + 1}` }));
    const { user } = await connectionWithServer(server.url);

    const { body } = await user.api.get(LIST).expect(503);

    expect(body.message).toMatch(/gave no valid answer: tools\/list: exceeded listMaxPages \(50\)/);
  });
});

const text = (response: ServerResponse, type: string) => response.writeHead(200, { 'content-type': type });

describe('A hostile MCP server', () => {
  /** Answers what continues an answer with the beginning of another one. */
  const endless = (response: ServerResponse) =>
    text(response, 'text/event-stream').end('id: 1\nretry: 0\ndata:\n\n');

  it.each([
    ['answers with 11 MB', 503, /more than 10000000 bytes/, 'x'.repeat(11_000_000)],
    [
      'has a list of 20 MB in pages of 1 MB',
      503,
      /more than 10000000 bytes/,
      { page: 'x'.repeat(1_000_000) },
    ],
    ['answers with text that is no JSON', 503, /gave no valid answer/, '{"jsonrpc": '],
    ['lists tools without names', 503, /gave no valid answer/, { tools: [{ inputSchema: 1 }] }],
    ['never says the rest of its answer', 504, /did not answer within 10 s/, endless],
    ['leads to another machine', 503, /gave no valid answer/, 'http://192.0.2.1/mcp'],
    ['never answers', 504, /did not answer within 10 s/, () => undefined],
  ])('that %s spoils the calls of its connection only', async (_, status, message, answer) => {
    const server = await receiver();
    server.answers((response, { body, method }) => {
      const {
        id,
        method: asked,
        params,
      } = body as { id: number; method: string; params?: { cursor?: string } };
      const json = () => text(response, 'application/json');
      const reply = (result: object) => json().end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (asked === 'initialize')
        return reply({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        });
      if (asked !== 'tools/list' && method !== 'GET')
        return response.writeHead(id === undefined ? 202 : 400).end();
      if (typeof answer === 'function') return answer(response);
      if (typeof answer === 'string' && answer.startsWith('http:'))
        return response.writeHead(307, { location: answer }).end();
      if (typeof answer === 'string') return json().end(answer);
      if ('tools' in answer) return reply(answer);
      const tool = { name: `t${id}`, description: answer.page, inputSchema: { type: 'object' } };
      return reply({ tools: [tool], nextCursor: `${Number(params?.cursor ?? 0) + 1}` });
    });
    const { user } = await connectionWithServer(server.url);

    const [refused] = await Promise.all([
      user.api.get(LIST),
      user.api.get('/api/v1/organizations').expect(200),
      user.api.get('/api/v1/tools').expect(200),
    ]);

    expect(refused).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
    expect(server.received.length).toBeLessThan(110);
    await user.api.get('/api/v1/tools?filter.connector=exa').expect(200);
  });
});

describe('A connection whose name begins with the name of another one', () => {
  it('has its own tools, each once', async () => {
    const server = await receiver();
    const tool = { name: 'ping', inputSchema: { type: 'object' } };
    server.answers((response, { body }) => {
      const { id, method } = body;
      const initialized = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'twins', version: '1' },
      };
      const result = method === 'initialize' ? initialized : { tools: [tool, tool], content: [] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const { user } = await connectionWithServer(server.url);
    await addConnection(user, 'own-mcp_2', server.url);

    const { body } = await user.api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'c-own-mcp_2_ping', params: {}, ...OWNER, connector: 'own-mcp_2' })
      .expect(200);

    expect(body.data).toEqual({ content: [] });
    expect((await listed(user)).filter((name) => name === 'c-own-mcp_ping')).toHaveLength(1);
  });
});

describe('A connection to a provider with an MCP server', () => {
  it('has the tools of the provider under its own name, and loses them with itself', async () => {
    const { api, control } = await fresh();
    const connection = { provider_key: 'APIFYMCP', type: 'BEARER', key_id: 'own-mcp' };
    const made = await api.post('/api/v1/connections?flags.is_app=true').send(connection).expect(201);
    const { id } = made.body.connection;
    const account = { ...OWNER, connected_account: { authorization_details: STATIC } };
    await api.post('/api/v1/connected_accounts').send(account).expect(201);
    const params = { url: 'https://docs.apify.com' };

    await api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'c-own-mcp_fetch-apify-docs', params, ...OWNER })
      .expect(200);
    await api.patch(`/api/v1/connections/${id}`).send({ key_id: 'renamed' }).expect(200);
    await api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'c-renamed_fetch-apify-docs', params, ...OWNER, connector: 'renamed' })
      .expect(200);
    await api.delete(`/api/v1/connections/${id}`).expect(200);

    const { body } = await control.get('/state/tools').expect(200);
    expect(JSON.stringify(body)).not.toContain('c-renamed_');
  });
});
