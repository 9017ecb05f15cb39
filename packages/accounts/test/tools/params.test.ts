import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { boot, bootOnce } from '../../../../test/support/boot.ts';
import { bootPort, connectAgent, instanceUrl } from '../../../../test/support/mcp.ts';
import { ACCOUNTS, addTool, execute } from '../../../../test/support/tools.ts';
import { callRpc, grpcTo, METHODS, openFor } from '../../../../test/server/grpc/support.ts';

const { fresh } = bootOnce();
const EXECUTE = METHODS.get('ToolService_ExecuteTool')!;
const FETCH = { tool_name: 'gmail_fetch_mails', connector: 'gmail', identifier: 'default' };
const LOOSE = { ...FETCH, params: { maxResults: 2, time_zone: 'UTC' } };
const WARNING = 'unknown: params.maxResults, params.time_zone; did you mean max_results?';

describe('params that the schema of a tool does not name', () => {
  it('are ignored, and named in the warnings and the journal', async () => {
    const { api, control } = await fresh();

    const answer = await execute(api, LOOSE).expect(200);

    expect(answer.body.data.messages).toHaveLength(6);
    expect(answer.headers['understudy-warnings']).toBe(WARNING);
    const { body } = await control.get(`/requests/${answer.headers['understudy-request-id']}`).expect(200);
    expect(body.validation.unknown).toEqual(['params.maxResults', 'params.time_zone']);
  });

  it('are ignored within objects of params, and by schemas that allow them', async () => {
    const { api, control } = await fresh();
    const event = { type: 'object', properties: { summary: {} }, additionalProperties: false };
    await addTool(control, { input_schema: { type: 'object', properties: { event } } });
    const params = { event: { summry: 'x' }, evnt: 1 };

    const answer = await execute(api, { ...FETCH, tool_name: 'gmail_own', params }).expect(200);

    expect(answer.headers['understudy-warnings']).toBe(
      'unknown: params.event.summry, params.evnt; did you mean summary, event?',
    );
  });

  it('are no surprise to a schema that says that it has others', async () => {
    const { api, control } = await fresh();
    await addTool(control, {
      input_schema: { type: 'object', properties: { a: {} }, additionalProperties: true },
    });

    const answer = await execute(api, { ...FETCH, tool_name: 'gmail_own', params: { b: 1 } }).expect(200);

    expect(answer.headers['understudy-warnings']).toBeUndefined();
  });

  it('are refused in strict mode', async () => {
    const { api } = await boot({ strict: true });

    const { body } = await execute(api, LOOSE).expect(400);

    expect(body.message).toContain(
      'tool validation failed: params.maxResults is no param of the tool; did you mean max_results?; ' +
        'params.time_zone is no param of the tool',
    );
  });

  it('are ignored over gRPC, and refused there in strict mode', async () => {
    const answers = [];
    for (const strict of [false, true]) {
      const { understudy, token } = await boot({ strict });
      const transport = grpcTo(await openFor(understudy));
      const message = create(EXECUTE.input, {
        toolName: LOOSE.tool_name,
        connector: LOOSE.connector,
        identifier: LOOSE.identifier,
        params: LOOSE.params,
      } as never);
      const heard = await callRpc(transport, EXECUTE, message, { authorization: `Bearer ${token}` });
      answers.push(heard instanceof Error ? heard.message : 'executed');
    }

    expect(answers).toEqual([
      'executed',
      expect.stringContaining('params.maxResults is no param of the tool'),
    ]);
  });
});

const port = bootPort();
const strictPort = bootPort({ strict: true });

describe('params that the schema of a tool of an MCP server does not name', () => {
  it.each([
    ['are ignored', port, undefined],
    ['are refused in strict mode', strictPort, true],
  ])('%s', async (_, start, isError) => {
    const { api, at, control } = await start();
    const { client } = await connectAgent(at(await instanceUrl(api)));

    const answer = await client.callTool({ name: 'exa_search', arguments: { query: 'bees', numResults: 1 } });

    expect(answer.isError).toBe(isError);
    const { body } = await control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    const [{ id }] = body.requests;
    const entry = await control.get(`/requests/${id}`).expect(200);
    expect(entry.body.validation.unknown).toEqual(isError ? [] : ['params.numResults']);
    if (isError)
      expect(JSON.stringify(answer.content)).toContain('params.numResults is no param of the tool');
  });
});

describe('a missing param', () => {
  it.each([
    ['googlecalendar_create_event', {}, 'missing or invalid start_datetime parameter'],
    ['gmail_get_message_by_id', {}, 'path templating failed: missing value for "input.message_id"'],
    [
      'gmail_create_draft',
      { to: 'a@b.example', subject: 's' },
      'tool execution failed - template rendering error',
    ],
    [
      'gmail_get_message_by_id',
      { messageId: 'x' },
      'path templating failed: missing value for "input.message_id"',
    ],
  ])('of %s is refused as in live runs', async (tool_name, params, text) => {
    const { api } = await fresh();
    const connector = tool_name.split('_')[0]!;
    const account = { connector, identifier: 'live', connected_account: ACTIVE };
    await api.post(ACCOUNTS).send(account).expect(201);

    const { body } = await execute(api, { tool_name, identifier: 'live', params }).expect(400);

    expect(body).toMatchObject({ code: 3, message: expect.stringContaining(text) });
  });
});

const ACTIVE = { authorization_details: { static_auth: { details: { token: 't' } } } };

describe('an identifier with accounts on two connections of a provider', () => {
  const two = async () => {
    const { api, control } = await fresh();
    const connection = { provider_key: 'GMAIL', type: 'OAUTH', key_id: 'second-gmail' };
    await api
      .post('/api/v1/connections?flags.is_app=true')
      .send({ connection, ...connection })
      .expect(201);
    const account = { connector: 'second-gmail', identifier: 'default', connected_account: ACTIVE };
    const { body } = await api.post(ACCOUNTS).send(account).expect(201);
    return { api, control, id: body.connected_account.id as string };
  };
  const call = { tool_name: 'gmail_get_profile', identifier: 'default' };

  it('is refused with the names of the accounts and connections', async () => {
    const { api, id } = await two();

    const { body } = await execute(api, call).expect(400);

    expect(body).toMatchObject({
      code: 3,
      message:
        `multiple connected accounts found: ca_10000000000000301 on gmail, ${id} on second-gmail; ` +
        'give connector or connected_account_id',
      details: [{ error_code: 'INVALID_ARGUMENT' }],
    });
  });

  it('is accepted with a connection or an account', async () => {
    const { api, id } = await two();

    await execute(api, { ...call, connector: 'second-gmail' }).expect(200);
    await execute(api, { ...call, connected_account_id: id }).expect(200);
  });
});
