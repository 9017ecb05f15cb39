import { describe, expect, it } from 'vitest';
import { agentOf } from '../../../test/control/agents.ts';
import { boot, type Agent } from '../../../test/support/boot.ts';
import { bootPort, connectAgent } from '../../../test/support/mcp.ts';

const fresh = bootPort();

const PATH = '/_control/mcp';
const ACCEPT = 'application/json, text/event-stream';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const RESET = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'reset_environment', arguments: {} },
};

const send = (agent: Agent, message: unknown, headers: Record<string, string> = {}) =>
  agent
    .post(PATH)
    .set({ accept: ACCEPT, 'content-type': 'application/json', ...headers })
    .send(typeof message === 'string' ? message : JSON.stringify(message));

const refusedWith = (code: number, message?: RegExp) => ({
  jsonrpc: '2.0',
  error: { code, ...(message && { message: expect.stringMatching(message) }) },
});

describe('A message that the simulator’s MCP server refuses', () => {
  it('gets the error of the protocol, and changes nothing', async () => {
    const { anonymous, control } = await fresh();
    await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const before = await control.get('/state/hash').expect(200);

    for (const [what, status, code, message, headers] of [
      ['unknown version', 400, -32000, RESET, { 'mcp-protocol-version': '1999-01-01' }],
      ['malformed JSON', 400, -32700, '{"jsonrpc"', {}],
      ['a batch', 400, -32600, [RESET, RESET], {}],
      ['no message', 400, -32600, { hello: 1 }, {}],
      ['accepts no answer', 406, -32000, RESET, { accept: 'text/html' }],
      ['content type', 415, -32000, RESET, { 'content-type': 'text/plain' }],
      ['unknown session', 404, -32001, RESET, { 'mcp-session-id': 'nobody' }],
      ['huge', 413, -32000, `"${'x'.repeat(1_100_000)}"`, {}],
      ['foreign page', 403, -32000, RESET, { origin: 'https://evil.example' }],
    ] as const) {
      const refused = await send(anonymous, message, headers);
      expect({ what, status: refused.status, body: refused.body }).toMatchObject({
        what,
        status,
        body: refusedWith(code),
      });
    }
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before.body);
  });

  it('is not a POST', async () => {
    const { anonymous } = await fresh();

    for (const verb of ['get', 'put', 'patch', 'delete'] as const) {
      const refused = await anonymous[verb](PATH).expect(405);
      expect(refused.headers['allow']).toBe('POST');
      expect(refused.body).toMatchObject(refusedWith(-32000));
    }
  });

  it('names an unknown tool, method, resource, prompt, or an argument that is missing', async () => {
    const { at } = await fresh();
    const { client } = await connectAgent(at(`http://x${PATH}`));

    await expect(client.callTool({ name: 'list_call' })).rejects.toThrow(
      'Unknown tool: list_call; did you mean list_calls?',
    );
    await expect(client.readResource({ uri: 'understudy://docs/scenaros' })).rejects.toThrow(
      'mean scenarios?',
    );
    await expect(client.readResource({ uri: 'understudy://nothing/x' })).rejects.toThrow('no resource');
    await expect(client.getPrompt({ name: 'write_scenaro' })).rejects.toThrow('mean write_scenario?');
    await expect(client.getPrompt({ name: 'write_scenario' })).rejects.toThrow(/^wanted: missing/);
  });
});

describe('With UNDERSTUDY_CONTROL_TOKEN', () => {
  it('agents need the token, and tools use it', async () => {
    const { understudy } = await boot({ controlToken: 'hush' });
    const status = { ...RESET, params: { name: 'get_status', arguments: {} } };

    for (const authorization of ['', 'Bearer wrong', 'hush']) {
      const refused = await send(agentOf(understudy.app, { authorization }), LIST).expect(401);
      expect(refused.headers['www-authenticate']).toBe('Bearer');
      expect(refused.body).toMatchObject(refusedWith(-32000, /UNDERSTUDY_CONTROL_TOKEN/));
    }
    const answer = await send(agentOf(understudy.app, { authorization: 'Bearer hush' }), status).expect(200);

    expect(answer.body.result).toMatchObject({ structuredContent: { environment: { name: 'default' } } });
  });
});

describe('Resources and prompts', () => {
  it('are the documentation, the scenarios, both documents and the state', async () => {
    const { at, own } = await fresh();
    const { client } = await connectAgent(at(`http://x${PATH}`), { environment: own.name });
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents;
      return (content as { text: string }).text;
    };

    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();

    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([
        'understudy://status',
        'understudy://docs/scenario-reference',
        'understudy://scenarios/invite-expired',
      ]),
    );
    expect(resourceTemplates).toHaveLength(4);
    expect(await read('understudy://status')).toContain(`Environment ${own.name}`);
    expect(await read('understudy://docs/time')).toMatch(/^# /);
    expect(await read('understudy://scenarios/invite-expired')).toContain('name: invite-expired');
    expect(await read('understudy://operations/UserService_GetUser')).toContain('/api/v1/users/{id}');
    expect(JSON.parse(await read('understudy://openapi/control'))).toHaveProperty('paths');
    expect(JSON.parse(await read('understudy://openapi/service'))).toHaveProperty('paths');
  });

  it('tell an agent how to begin', async () => {
    const { at } = await fresh();
    const { client } = await connectAgent(at(`http://x${PATH}`), { revision: '2026-07-28' });

    const { prompts } = await client.listPrompts();
    const { messages } = await client.getPrompt({ name: 'reproduce_failure', arguments: { failure: 'E42' } });

    expect(client.getInstructions()).toContain('Begin with get_status');
    expect(prompts.map(({ name }) => name)).toEqual([
      'reproduce_failure',
      'write_scenario',
      'explain_last_failure',
    ]);
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('E42') } }]);
  });
});
