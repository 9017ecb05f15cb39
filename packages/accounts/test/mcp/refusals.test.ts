import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { Keys } from '../../../../src/state/keys.ts';
import { firstKey } from '../../../../src/state/signing-keys.ts';
import type { Agent } from '../../../../test/support/boot.ts';
import {
  bootPort,
  configServer,
  connectAgent,
  connectionServer,
  instanceUrl,
  RESEARCH,
  RESEARCH_CONFIG,
} from '../../../../test/support/mcp.ts';

const fresh = bootPort();

const ACCEPT = 'application/json, text/event-stream';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const NESTED = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exa_search","arguments":{"query":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const send = (agent: Agent, url: string, message: unknown, headers: Record<string, string> = {}) =>
  agent
    .post(new URL(url, 'http://x').pathname)
    .set({ accept: ACCEPT, 'content-type': 'application/json', ...headers })
    .send(typeof message === 'string' ? message : JSON.stringify(message));

async function startSession(agent: Agent, url: string, headers: Record<string, string> = {}) {
  const answer = await send(agent, url, INITIALIZE, headers).expect(200);
  return { 'mcp-session-id': String(answer.headers['mcp-session-id']), ...headers };
}

const refusedWith = (code: number, message?: RegExp) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, ...(message && { message: expect.stringMatching(message) }) },
});

describe('A message that an MCP server refuses', () => {
  it.each([
    ['an unknown protocol version', 400, -32000, LIST, { 'mcp-protocol-version': '1999-01-01' }],
    ['malformed JSON', 400, -32700, '{"jsonrpc"', {}],
    ['a batch', 400, -32600, [LIST, LIST], {}],
    ['something else than a message', 400, -32600, { hello: 1 }, {}],
    ['a client that does not accept the answer', 406, -32000, LIST, { accept: 'text/html' }],
    ['another content type', 415, -32000, LIST, { 'content-type': 'text/plain' }],
    ['an unknown session', 404, -32001, LIST, { 'mcp-session-id': 'nobody' }],
    ['no session', 400, -32000, LIST, { 'mcp-session-id': '' }],
    ['arguments that are nested too deep', 400, -32600, NESTED, {}],
    ['a body over the limit', 413, -32000, `"${'x'.repeat(1_100_000)}"`, {}],
  ])('gets the error of the protocol: %s', async (_, status, code, message, headers) => {
    const { api, anonymous, control } = await fresh();
    const url = await instanceUrl(api);
    const session = await startSession(anonymous, url);
    const before = await control.get('/state').expect(200);

    const refused = await send(anonymous, url, message, { ...session, ...headers }).expect(status);

    expect(refused.body).toMatchObject(refusedWith(code));
    expect((await control.get('/state').expect(200)).body).toEqual(before.body);
  });

  it('is of an unknown server', async () => {
    const { anonymous } = await fresh();

    const refused = await send(
      anonymous,
      'http://x/mcp/v1/b8d4a2c6-0000-4b39-a0c5-3d4e5f6a7b8c',
      LIST,
    ).expect(404);

    expect(refused.body).toMatchObject(refusedWith(-32000, /mcp server .* not found/));
  });

  it('has half of a surrogate pair in an argument', async () => {
    const { api, anonymous, control } = await fresh();
    const url = await instanceUrl(api);
    const session = await startSession(anonymous, url);
    const call = String.raw`{"name":"exa_search","arguments":{"query":"\ud800"}}`;
    const before = await control.get('/state').expect(200);

    const refused = await send(
      anonymous,
      url,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`,
      session,
    ).expect(200);

    expect(refused.body.error.message).toContain('must not hold half of a surrogate pair');
    expect((await control.get('/state').expect(200)).body).toEqual(before.body);
  });

  it('names a tool that the server does not offer', async () => {
    const { api, at, control } = await fresh();
    const { client } = await connectAgent(at(await instanceUrl(api)));

    const called = client.callTool({ name: 'gmail_fetch_mails', arguments: {} });

    await expect(called).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool'),
    });
    const { body } = await control.get('/requests').expect(200);
    expect(JSON.stringify(body)).not.toContain('ToolService_ExecuteTool');
  });

  it('has an address with the name of another environment', async () => {
    const { api, anonymous, own } = await fresh();
    const { pathname } = new URL(await instanceUrl(api));
    const { url, token } = await configServer(api);
    const headers = { 'understudy-environment': own.name };
    const renamed = (path: string) => path.replace(`/${own.name}.`, '/somebody.');

    await send(anonymous, `http://x${renamed(pathname)}`, INITIALIZE, headers).expect(404);
    const authorization = `Bearer ${token}`;
    await send(anonymous, renamed(url), INITIALIZE, { ...headers, authorization }).expect(401);

    await send(anonymous, `http://x${pathname}`, INITIALIZE).expect(200);
    await send(anonymous, `http://x${pathname.replace(`${own.name}.`, '')}`, INITIALIZE, headers).expect(200);
  });

  it('has a huge name: the error shows the beginning of the name', async () => {
    const { api, anonymous } = await fresh();
    const url = await instanceUrl(api);
    const session = await startSession(anonymous, url);
    const name = 'x'.repeat(100_000);
    const call = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

    const messages = [
      await send(anonymous, url, call('tools/call', { name, arguments: {} }), session),
      await send(anonymous, url, call(name, {}), session),
      await send(anonymous, '/_control/mcp', call('tools/call', { name, arguments: {} })),
      await send(
        anonymous,
        '/_control/mcp',
        call('tools/call', { name: 'get_status', arguments: { [name]: 1 } }),
      ),
      await send(anonymous, '/_control/mcp', call('resources/read', { uri: `understudy://${name}` })),
      await send(anonymous, '/_control/mcp', call('prompts/get', { name })),
    ];

    for (const { status, text } of messages) {
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(3000);
    }
  });
});

describe('A token that an MCP server refuses', () => {
  it.each([
    ['has expired', 'token is expired'],
    ['is of another server', 'token is for another MCP server'],
    ['is an access token', 'token is not a session token of an MCP server'],
    ['is of a configuration that was deleted', 'configuration of the token is gone'],
    ['was revoked', 'token is revoked'],
  ])('%s', async (kind, message) => {
    const { api, anonymous, control, own, token: accessToken } = await fresh();
    const { url, token } = await configServer(api);
    if (kind === 'has expired') await control.post('/clock/advance').send({ by: '61m' }).expect(200);
    if (kind === 'was revoked')
      await anonymous
        .post('/revoke')
        .type('form')
        .send({ token, ...own.credentials })
        .expect(200);
    if (kind.endsWith('deleted')) await api.delete(`/api/v1/mcp/configs/${RESEARCH_CONFIG}`).expect(200);
    const target = kind === 'is of another server' ? url.replace(/\w{12}$/, 'ffffffffffff') : url;
    const bearer = kind === 'is an access token' ? accessToken : token;

    const refused = await send(anonymous, target, LIST, { authorization: `Bearer ${bearer}` }).expect(401);

    expect(refused.body).toMatchObject(refusedWith(-32000, new RegExp(message)));
    expect(refused.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="token [^"]+|configuration[^"]+", resource_metadata="http/,
    );
  });
});

describe('A call without a token', () => {
  it('is told which call makes a session token', async () => {
    const { api, anonymous } = await fresh();
    const { url } = await configServer(api);

    const { body } = await send(anonymous, url, LIST).expect(401);

    const call = /^Token empty: .*POST \/api\/v1\/mcp\/configs\/\{mcp_config_id\}\/tokens does$/;
    expect(body).toMatchObject(refusedWith(-32000, call));
  });
});

describe('A token whose environment has characters that no header may have', () => {
  it('is refused, and the header has others in their place', async () => {
    const { api, anonymous } = await fresh();
    const { url } = await configServer(api);
    const name = `a"\r\nx-evil: €${'y'.repeat(5000)}`;
    // The key for development is public, so anybody can sign such a token.
    const token = await new Keys().sign({ understudy_environment: name, exp: 9_999_999_999 }, firstKey());

    const { headers } = await send(anonymous, url, LIST, { authorization: `Bearer ${token}` }).expect(401);

    expect(headers['www-authenticate']).toMatch(/environment a'''x-evil: 'y+', and this call is for /);
    expect(headers['www-authenticate']!.length).toBeLessThan(500);
    expect(headers).not.toHaveProperty('x-evil');
  });
});

describe('A session at an MCP server', () => {
  it('ends when the client ends it', async () => {
    const { api, anonymous } = await fresh();
    const url = await instanceUrl(api);
    const session = await startSession(anonymous, url);
    await send(anonymous, url, LIST, session).expect(200);

    await anonymous.delete(new URL(url).pathname).set(session).expect(200);

    await send(anonymous, url, LIST, session).expect(404);
    await anonymous.delete(new URL(url).pathname).set(session).expect(404);
  });

  it('ends by the clock of the environment', async () => {
    const { api, anonymous, control } = await fresh();
    const url = await instanceUrl(api);
    const session = await startSession(anonymous, url);

    await control.post('/clock/advance').send({ by: '24h' }).expect(200);

    await send(anonymous, url, LIST, session).expect(404);
  });

  it('serves the server and the user who started it, and nobody else', async () => {
    const { api, anonymous } = await fresh();
    const url = await instanceUrl(api);
    const session = await startSession(anonymous, url);
    const other = await instanceUrl(api, { ...RESEARCH, user_identifier: 'ada@acme.example' });

    await send(anonymous, other, LIST, session).expect(404);
    await anonymous.delete(new URL(other).pathname).set(session).expect(404);

    await send(anonymous, url, LIST, session).expect(200);
  });
});

describe('A call without a token to the MCP server of a connection', () => {
  const METADATA = /resource_metadata="([^"]+)"$/;

  it.each(['/mcp/v3/connections/only-here', '/mcp/v3/connections/only-here/'])(
    'learns where the metadata of its environment are: %s',
    async (path) => {
      const { anonymous, control, own, understudy } = await fresh();
      const exa = '/state/connections/conn_10000000000000211';
      await control.patch(exa).send({ key_id: 'only-here' }).expect(200);

      const refused = await anonymous.post(path).send({}).expect(401);

      const [, address = ''] = METADATA.exec(refused.headers['www-authenticate'] ?? '') ?? [];
      expect(new URL(address).search).toBe(`?understudy_environment=${own.name}`);
      const { pathname, search } = new URL(address);
      const { body } = await supertest(understudy.app).get(`${pathname}${search}`).expect(200);
      expect(new URL(body.resource).pathname).toBe('/mcp/v3/connections/only-here');
    },
  );

  it('gets a header that is well-formed, whatever is in the path', async () => {
    const { anonymous } = await fresh();

    const { headers } = await anonymous.post('/mcp/v3/connections/a"b').send({}).expect(401);

    expect(METADATA.exec(headers['www-authenticate'] ?? '')?.[1]).toContain('/connections/a%22b');
  });

  it('may end its address with a slash', async () => {
    const { api, at } = await fresh();
    const { token, url } = await connectionServer(api);
    const { client } = await connectAgent(`${at(url)}/`, { token });

    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });
});

describe('A web page', () => {
  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:3000', 200],
  ])('of %s gets %d from an MCP server', async (origin, status) => {
    const { api, anonymous } = await fresh();
    const { url, token } = await configServer(api);
    const headers = { origin, authorization: `Bearer ${token}` };

    const { body } = await send(anonymous, url, INITIALIZE, headers).expect(status);

    if (status === 403) expect(body.error.message).toMatch(/^an MCP server does not answer web pages/);
  });
});
