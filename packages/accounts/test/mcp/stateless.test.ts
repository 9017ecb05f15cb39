import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../../test/support/boot.ts';
import { bootPort, connectAgent, instanceUrl } from '../../../../test/support/mcp.ts';

const fresh = bootPort();

const CONTROL = 'http://x/_control/mcp';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends one message of the version 2026-07-28, which has no sessions. */
const send = (agent: Agent, url: string, method: string, params: object, headers: object = {}) =>
  agent
    .post(new URL(url).pathname)
    .set({
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...headers,
    })
    .send({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } });

/** Lets the tool exa_search declare that the query is repeated in the header Mcp-Param-Query. */
async function declareHeader(control: Agent) {
  const { rows } = (await control.get('/state/tools').expect(200)).body;
  const { id } = rows.find(
    ({ definition }: { definition: { name: string } }) => definition.name === 'exa_search',
  );
  const properties = { query: { type: 'string', 'x-mcp-header': 'Query' } };
  const input_schema = { type: 'object', properties };
  await control.patch(`/state/tools/${id}`).send({ definition: { input_schema } }).expect(200);
}

const name = 'exa_search';

describe('A tool whose schema names a header for an argument', () => {
  it('is called if the header has the argument', async () => {
    const { api, at, control } = await fresh();
    await declareHeader(control);
    const { client } = await connectAgent(at(await instanceUrl(api)), { revision: '2026-07-28' });
    await client.listTools();

    const answer = await client.callTool({ name, arguments: { query: 'bees – 蜂' } });

    expect(answer.isError).toBeFalsy();
  });

  it.each([
    ['differs', { 'mcp-param-query': 'wasps' }],
    ['is missing', {}],
    ['is no text in Base64', { 'mcp-param-query': '=?base64?%%%?=' }],
  ])('is not called if the header %s', async (_, headers) => {
    const { api, anonymous, control } = await fresh();
    await declareHeader(control);
    const url = await instanceUrl(api);
    const params = { name, arguments: { query: 'bees' } };

    const { body } = await send(anonymous, url, 'tools/call', params, {
      'mcp-name': name,
      ...headers,
    }).expect(400);

    expect(body.error).toMatchObject({ code: -32020, message: expect.stringContaining('Mcp-Param-Query') });
    const calls = await control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    expect(calls.body.requests).toEqual([]);
  });
});

describe('A subscription', () => {
  it.each(['the server of an instance', 'the control server'])(
    'at %s has nothing, and ends',
    async (where) => {
      const { api, anonymous } = await fresh();
      const url = where === 'the control server' ? CONTROL : await instanceUrl(api);
      const notifications = { toolsListChanged: true, resourceSubscriptions: ['understudy://status'] };

      const { text, headers } = await send(anonymous, url, 'subscriptions/listen', { notifications }).expect(
        200,
      );

      expect(headers['content-type']).toMatch(/^text\/event-stream/);
      const messages = text.matchAll(/^data: (.*)$/gm);
      expect([...messages].map(([, data = '']) => JSON.parse(data) as unknown)).toMatchObject([
        { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
        { id: 1, result: { resultType: 'complete' } },
      ]);
    },
  );

  it('without a filter is refused', async () => {
    const { api, anonymous } = await fresh();

    const { body } = await send(anonymous, await instanceUrl(api), 'subscriptions/listen', {});

    expect(body.error).toMatchObject({ code: -32602 });
  });
});

describe('A method that the server does not have', () => {
  const METHODS = ['resources/list', 'resources/templates/list', 'prompts/list', 'completion/complete'];
  const COMPLETE = { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 'b' } };

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'is not found, as its capabilities say (%s)',
    async (revision) => {
      const { api, at } = await fresh();
      const { client } = await connectAgent(at(await instanceUrl(api)), { revision });

      expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
      for (const method of METHODS) {
        const params = method === 'completion/complete' ? COMPLETE : {};
        await expect(client.request({ method, params } as never)).rejects.toThrow('Method not found');
      }
    },
  );

  it('is the completion of the control server, and its lists are full', async () => {
    const { at } = await fresh();
    const { client } = await connectAgent(at(CONTROL));

    expect(Object.keys(client.getServerCapabilities() ?? {}).toSorted()).toEqual([
      'prompts',
      'resources',
      'tools',
    ]);
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    const complete = { method: 'completion/complete', params: COMPLETE } as never;
    await expect(client.request(complete)).rejects.toMatchObject({ code: -32601 });
  });
});
