import {
  createMcpHandler,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type ContentBlock,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { bootPort, connectAgent, instanceUrl, type McpBooted } from '../../../../test/support/mcp.ts';
import { receiver } from '../../../../test/support/receiver.ts';
import { addConnection, execute, listed, serverOf } from '../../../../test/support/remote-mcp.ts';

const fresh = bootPort();

/** A server of the official library with one tool. */
function withTool(name: string, result: CallToolResult, outputSchema?: { type: 'object' }): Server {
  const server = new Server({ name: 'real', version: '1' }, { capabilities: { tools: {} } });
  const tool = { name, inputSchema: { type: 'object' as const }, ...(outputSchema && { outputSchema }) };
  server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
  server.setRequestHandler('tools/call', () => result);
  return server;
}

const DONE: CallToolResult = { content: [{ type: 'text', text: 'done' }] };

/** Speaks 2026-07-28 and no other version. */
const modern = (result = DONE, name = 'ping', outputSchema?: { type: 'object' }) =>
  serverOf((request) =>
    createMcpHandler(() => withTool(name, result, outputSchema), { legacy: 'reject' }).fetch(request),
  );

/** Speaks the versions that begin with `initialize`, and no other one. */
const legacy = () =>
  serverOf(async (request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await withTool('ping', DONE).connect(transport);
    return transport.handleRequest(request);
  });

/** Without the tools of its provider that do not need the MCP server. */
const ownTools = async (user: McpBooted) =>
  (await listed(user)).filter((name) => name.startsWith('c-own-mcp_'));

/** An agent at a server of the environment that offers the tools of the connection. */
async function agentOf(user: McpBooted) {
  const connection_tool_mappings = [{ connection_name: 'own-mcp' }];
  const config = { name: 'all', connection_tool_mappings };
  await user.api.post('/api/v1/mcp/configs').send(config).expect(201);
  const url = await instanceUrl(user.api, { config_name: 'all', user_identifier: 'ada' });
  return (await connectAgent(user.at(url))).client;
}

describe('A connection to an MCP server', () => {
  it.each([
    ['2026-07-28 only', modern, ['server/discover', 'tools/call']],
    [
      '2025-11-25 and before',
      legacy,
      ['server/discover', 'initialize', 'notifications/initialized', 'tools/call'],
    ],
  ])('speaks the version that the server supports: %s', async (_, start, messages) => {
    const server = await start();
    const user = await fresh();
    await addConnection(user, 'own-mcp', server.url);
    expect(await ownTools(user)).toEqual(['c-own-mcp_ping']);
    server.received.length = 0;

    const { body } = await execute(user, 'c-own-mcp_ping', {}).expect(200);

    expect(body.data).toEqual(DONE);
    expect(server.received.map(({ body: message }) => message['method'])).toEqual(messages);
  });

  it('has the tools of another server as soon as its address changes', async () => {
    const [old, other] = [await modern(DONE, 'old'), await modern(DONE, 'other')];
    const user = await fresh();
    await user.control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const id = await addConnection(user, 'own-mcp', old.url);
    expect(await ownTools(user)).toEqual(['c-own-mcp_old']);
    const change = (mcp_server_url: string | null) =>
      user.control.patch(`/state/connections/${id}`).send({ mcp_server_url }).expect(200);

    await change(other.url);
    await execute(user, 'c-own-mcp_old', {}).expect(404);
    expect(await ownTools(user)).toEqual(['c-own-mcp_other']);
    await execute(user, 'c-own-mcp_other', {}).expect(200);

    await change('http://127.0.0.1:1/mcp');
    await execute(user, 'c-own-mcp_other', {}).expect(503);
    await change(null);

    await execute(user, 'c-own-mcp_other', {}).expect(404);
    expect(await ownTools(user)).toContain('c-own-mcp_fetch-apify-docs');
    await change(old.url);
    expect(await ownTools(user)).toEqual(['c-own-mcp_old']);
  });
});

const IMAGE: ContentBlock = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const MIXED: ContentBlock[] = [
  { type: 'text', text: 'Here it is' },
  IMAGE,
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'a' } },
  { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
];

describe('The content of a tool’s answer', () => {
  it('reaches agents as what it is', async () => {
    const user = await fresh();
    await addConnection(user, 'own-mcp', (await modern({ content: MIXED })).url);
    const agent = await agentOf(user);

    const { content, structuredContent } = await agent.callTool({ name: 'c-own-mcp_ping', arguments: {} });

    expect(content).toEqual(MIXED);
    expect(structuredContent).toBeUndefined();
  });

  it('reaches agents beside structured content', async () => {
    const user = await fresh();
    const result = { content: [IMAGE], structuredContent: { width: 1 } };
    await addConnection(user, 'own-mcp', (await modern(result, 'ping', { type: 'object' })).url);
    const agent = await agentOf(user);
    await agent.listTools();

    expect(await agent.callTool({ name: 'c-own-mcp_ping', arguments: {} })).toMatchObject(result);
  });

  it.each([
    ['another key', { content: [IMAGE], page: 1 }],
    ['a part of no known type', { content: [{ type: 'video', data: '' }] }],
  ])('is text for agents when the data have %s', async (_, response) => {
    const { api, at, control } = await fresh();
    const { rows } = (await control.get('/state/tools').expect(200)).body;
    const isSearch = ({ definition }: { definition: { name: string } }) => definition.name === 'exa_search';
    const { answers: _answers, ...tool } = rows.find(isSearch);
    await control
      .put(`/state/tools/${tool.id}`)
      .send({ ...tool, response })
      .expect(200);
    const { client } = await connectAgent(at(await instanceUrl(api)));
    const search = { name: 'exa_search', arguments: { query: 'bees' } };

    const { content, structuredContent } = await client.callTool(search);

    expect(content).toEqual([{ type: 'text', text: JSON.stringify(response) }]);
    expect(structuredContent).toEqual(response);
  });
});

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'real', version: '1' },
};

/** A server whose answer to tools/list breaks off, and is continued for a client that names the last event. */
async function breakingServer(retry: number, continued: object) {
  const server = await receiver();
  const resumedAt: number[] = [];
  let brokenAt = 0;
  let listId: unknown;
  server.answers((response, { method, headers, body }) => {
    const { id } = body;
    const message = (result: object, of = id) => JSON.stringify({ jsonrpc: '2.0', id: of, result });
    const stream = () => response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (method === 'GET') {
      resumedAt.push(performance.now() - brokenAt);
      return stream().end(`id: ${headers['last-event-id']}\ndata: ${message(continued, listId)}\n\n`);
    }
    if (body['method'] === 'tools/list') {
      listId = id;
      brokenAt = performance.now();
      return stream().end(`id: event-1\nretry: ${retry}\ndata:\n\n`);
    }
    if (body['method'] !== 'initialize') return response.writeHead(id === undefined ? 202 : 400).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(message(initialized));
  });
  return { server, resumedAt };
}

describe('An MCP server whose answer breaks off', () => {
  it('is asked for the rest after the time that it gives', async () => {
    const tools = [{ name: 'ping', inputSchema: { type: 'object' } }];
    const { server, resumedAt } = await breakingServer(300, { tools });
    const user = await fresh();
    await addConnection(user, 'own-mcp', server.url);

    expect(await ownTools(user)).toEqual(['c-own-mcp_ping']);

    expect(resumedAt).toHaveLength(1);
    expect(resumedAt[0]).toBeGreaterThanOrEqual(295);
    const [resumed] = server.received.filter(({ method }) => method === 'GET');
    expect(resumed?.headers['last-event-id']).toBe('event-1');
  });
});
