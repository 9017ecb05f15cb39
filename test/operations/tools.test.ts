import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const ACCOUNTS = '/api/v1/connected_accounts';
const SLACK_OF_ACME = 'ca_10000000000000302';
const SLACK_OF_NORDWIND = 'ca_10000000000000303';
const EXECUTION = expect.stringMatching(/^exec_\d{17,}$/);

interface Schema {
  type: string;
  items?: Schema;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Tool {
  id: string;
  provider: string;
  definition: { name: string; input_schema: Schema };
}

const catalogue = JSON.parse(readFileSync('fixtures/catalogue.json', 'utf8')) as { tools: Tool[] };

const execute = (api: Agent, body: object) => api.post('/api/v1/execute_tool').send(body);

/** A value that a schema lets pass. */
function sample({ type, items, enum: allowed, properties = {} }: Schema): unknown {
  if (allowed) return allowed[0];
  if (type === 'array') return [sample(items ?? { type: 'string' })];
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, sample(each)]));
  return { string: 'text', integer: 3, number: 2.5, boolean: true }[type];
}

/** A value of another type than the schema wants. */
const wrong = ({ type }: Schema) => (type === 'string' ? 7 : 'text');

const required = ({ properties = {}, required: names = [] }: Schema) =>
  Object.fromEntries(names.map((name) => [name, sample(properties[name]!)]));

/** Active accounts under the identifier `tester`, one for each application of the catalogue. */
async function withAccounts(api: Agent) {
  const { body } = await api.get('/api/v1/connections').expect(200);
  const applications = new Set(catalogue.tools.map(({ provider }) => provider));
  const authorization_details = { static_auth: { details: { token: 't' } } };
  for (const { key_id, provider_key } of body.connections) {
    if (!key_id || !applications.has(provider_key)) continue;
    const account = { connector: key_id, identifier: 'tester', connected_account: { authorization_details } };
    await api.post(ACCOUNTS).send(account).expect(201);
  }
}

/** An answer that says `TOOL_ERROR`, with the message twice and an id of the run. */
const toolError = (status: number, code: number, tool_error_code: string, message: string) => ({
  status,
  body: {
    code,
    message,
    details: [
      {
        '@type': 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo',
        error_code: 'TOOL_ERROR',
        tool_error_info: { execution_id: EXECUTION, tool_error_code, tool_error_message: message },
      },
    ],
  },
});

const heard = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

describe('the tools of the catalogue', () => {
  it('are at least three of each application, and belong to it by name', () => {
    const providers = [...new Set(catalogue.tools.map(({ provider }) => provider))];

    expect(providers).toEqual(
      expect.arrayContaining([
        'GMAIL',
        'SLACK',
        'GITHUB',
        'NOTION',
        'HUBSPOT',
        'SALESFORCE',
        'GOOGLECALENDAR',
        'LINEAR',
        'JIRA',
        'FRESHDESK',
        'EXA',
        'APIFYMCP',
      ]),
    );
    for (const provider of providers) {
      const tools = catalogue.tools.filter((tool) => tool.provider === provider);
      expect(tools.length).toBeGreaterThanOrEqual(3);
      for (const { definition } of tools)
        expect(definition.name).toMatch(new RegExp(`^(c-)?${provider.toLowerCase()}_`));
    }
  });

  it('have names and ids of their own', () => {
    const names = new Set(catalogue.tools.map(({ definition }) => definition.name));
    const ids = new Set(catalogue.tools.map(({ id }) => id));

    expect([names.size, ids.size]).toEqual([catalogue.tools.length, catalogue.tools.length]);
  });

  it('all run with all of their params, and with the required ones alone', async () => {
    const { api } = await boot({ now: NOW });
    await withAccounts(api);

    for (const { definition } of catalogue.tools) {
      for (const params of [sample(definition.input_schema), required(definition.input_schema)]) {
        const answer = await execute(api, { tool_name: definition.name, identifier: 'tester', params });

        const ran = { data: expect.any(Object), execution_id: EXECUTION };
        expect({ name: definition.name, ...heard(answer) }).toEqual({
          name: definition.name,
          status: 200,
          body: ran,
        });
        expect(Object.keys(answer.body.data)).not.toEqual([]);
        expect(JSON.stringify(answer.body.data)).not.toMatch(/\{\{|"\$|GMT|undefined|\[object/);
      }
    }
  });

  it('all refuse params of a wrong type, missing ones and unknown ones', async () => {
    const { api } = await boot({ now: NOW });
    await withAccounts(api);

    for (const { definition } of catalogue.tools) {
      const { properties = {}, required: names = [] } = definition.input_schema;
      const right = required(definition.input_schema);
      const cases: [params: object, complaint: string][] = [
        ...Object.entries(properties).map(([name, each]): [object, string] => [
          { ...right, [name]: wrong(each) },
          `params.${name} must be ${each.type}`,
        ]),
        ...names.map((name): [object, string] => [
          Object.fromEntries(Object.entries(right).filter(([key]) => key !== name)),
          `params must have required property '${name}'`,
        ]),
        [{ ...right, extra_param: 1 }, 'params must NOT have additional properties (extra_param)'],
      ];
      for (const [params, complaint] of cases) {
        const answer = await execute(api, { tool_name: definition.name, identifier: 'tester', params });

        const message = `tool validation failed: ${complaint}`;
        expect({ name: definition.name, ...heard(answer) }).toEqual({
          name: definition.name,
          ...toolError(400, 3, 'INVALID_PARAMS', message),
        });
      }
    }
  });

  it('answer the same, byte for byte, in two simulators with the same seed, clock and calls', async () => {
    const wanted = { seed: 7, clock: { mode: 'frozen', at: NOW } };

    const runs = [];
    for (let i = 0; i < 2; i += 1) runs.push(await everyAnswer(wanted));

    expect(runs[0]).toHaveLength(catalogue.tools.length + 1);
    expect(runs[1]).toEqual(runs[0]);
  });

  it('answer otherwise with another seed', async () => {
    const clock = { mode: 'frozen', at: NOW };

    const [first, second] = [await everyAnswer({ seed: 7, clock }), await everyAnswer({ seed: 8, clock })];

    expect(second).not.toEqual(first);
  });
});

/** A tool `gmail_own` that the catalogue does not have. */
async function addTool(
  control: Agent,
  { input_schema, response }: { input_schema: object; response?: unknown },
) {
  const definition = { name: 'gmail_own', description: '', input_schema };
  const tool = { provider: 'GMAIL', definition, tags: [], updated_at: NOW, response };
  await control.put('/state/tools/tol_20000000000000999').send(tool).expect(200);
}

/** What every tool answers, as text, and then the accounts, in an environment that is wanted so. */
async function everyAnswer(wanted: object): Promise<string[]> {
  const { environment } = await boot();
  const { api } = await environment('worker-1', wanted);
  await withAccounts(api);
  const answers = [];
  for (const { definition } of catalogue.tools) {
    const params = sample(definition.input_schema);
    const call = { tool_name: definition.name, identifier: 'tester', params };
    answers.push((await execute(api, call).expect(200)).text);
  }
  return [...answers, (await api.get(`${ACCOUNTS}?page_size=99`).expect(200)).text];
}

describe('what a tool answers', () => {
  it('follows its params', async () => {
    const { api } = await boot({ now: NOW });

    const { body } = await execute(api, {
      tool_name: 'slack_send_message',
      connected_account_id: SLACK_OF_ACME,
      params: { channel: 'C1', text: 'Hello {{person.firstName}}' },
    }).expect(200);

    expect(body.data).toEqual({
      ok: true,
      channel: 'C1',
      ts: expect.stringMatching(/^\d{10}\.\d{6}$/),
      message: {
        type: 'message',
        user: expect.stringMatching(/^U\d{10}$/),
        bot_id: expect.stringMatching(/^B\d{10}$/),
        text: 'Hello {{person.firstName}}',
      },
    });
  });

  it.each([
    [undefined, 3],
    [5, 5],
    [0, 0],
    [-4, 0],
    [5000, 100],
  ])('has as many rows as are asked for, within reason: %s', async (max_results, length) => {
    const { api } = await boot({ now: NOW });
    const params = max_results === undefined ? {} : { max_results };

    const { body } = await execute(api, {
      tool_name: 'gmail_fetch_mails',
      identifier: 'default',
      params,
    }).expect(200);

    expect(body.data.messages).toHaveLength(length);
    expect(body.data.resultSizeEstimate).toBe(length);
  });

  it('differs from call to call', async () => {
    const { api } = await boot({ now: NOW });
    const call = { tool_name: 'gmail_fetch_mails', identifier: 'default' };

    const first = await execute(api, call).expect(200);
    const second = await execute(api, call).expect(200);

    expect(second.body.execution_id).not.toBe(first.body.execution_id);
    expect(second.body.data).not.toEqual(first.body.data);
  });

  it('is made of the template of the tool', async () => {
    const { api, control } = await boot({ now: NOW });
    const response = {
      plain: [1, null, true, 'text'],
      named: 'By {{person.firstName}} {{person.lastName}}',
      dated: 'from {{date.past}} to {{date.future}}',
      when: '{{date.recent}}',
      echo: { $param: 'query' },
      fallback: { $param: 'absent', default: { deep: '{{number.int(9)}}' } },
      nothing: { $param: 'absent' },
      drawn: { $int: [5, 7] },
      chance: { $bool: true },
      rows: { $repeat: 2, of: { id: '{{string.uuid}}' } },
      size: { $count: 2 },
    };
    await addTool(control, { input_schema: { type: 'object' }, response });

    const { body } = await execute(api, {
      tool_name: 'gmail_own',
      identifier: 'default',
      params: { query: 'is:unread' },
    }).expect(200);

    const uuid = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(body.data).toEqual({
      plain: [1, null, true, 'text'],
      named: expect.stringMatching(/^By \S+ \S+/),
      dated: expect.stringMatching(/^from 20[\d-]+T[\d:.]+Z to 203[\d-]+T[\d:.]+Z$/),
      when: expect.stringMatching(/^2029-12-31T/),
      echo: 'is:unread',
      fallback: { deep: expect.stringMatching(/^\d$/) },
      nothing: null,
      drawn: expect.toSatisfy((n: number) => n >= 5 && n <= 7),
      chance: expect.any(Boolean),
      rows: [{ id: uuid }, { id: uuid }],
      size: 2,
    });
  });

  it.each([
    ['no template', undefined, {}],
    ['a template that is no object', ['a', 'b'], { result: ['a', 'b'] }],
  ])('is an object even with %s', async (_, response, data) => {
    const { api, control } = await boot({ now: NOW });
    await addTool(control, { input_schema: { type: 'object' }, response });

    const { body } = await execute(api, { tool_name: 'gmail_own', identifier: 'default' }).expect(200);

    expect(body.data).toEqual(data);
  });
});

describe('ToolService_ExecuteTool', () => {
  const PROFILE = { tool_name: 'gmail_get_profile' };
  const CHANNELS = { tool_name: 'slack_list_channels' };

  it.each([
    ['its id', { connected_account_id: SLACK_OF_NORDWIND }, SLACK_OF_NORDWIND],
    [
      'its id, whatever else is said',
      { connected_account_id: SLACK_OF_NORDWIND, connector: 'gmail', identifier: 'x', organization_id: 'o' },
      SLACK_OF_NORDWIND,
    ],
    ['connector and identifier', { connector: 'slack', identifier: 'nina@nordwind.example' }, SLACK_OF_ACME],
    [
      'connector and identifier, narrowed by organization',
      { connector: 'slack', identifier: 'nina@nordwind.example', organization_id: 'org_10000000000000002' },
      SLACK_OF_NORDWIND,
    ],
    [
      'connector and identifier, narrowed by user',
      { connector: 'slack', identifier: 'nina@nordwind.example', user_id: 'usr_10000000000000103' },
      SLACK_OF_ACME,
    ],
    ['the identifier alone', { identifier: 'nina@nordwind.example' }, SLACK_OF_ACME],
    [
      'the identifier, narrowed by organization',
      { identifier: 'nina@nordwind.example', organization_id: 'org_10000000000000002' },
      SLACK_OF_NORDWIND,
    ],
    ['the organization alone', { organization_id: 'org_10000000000000002' }, SLACK_OF_NORDWIND],
    ['the user alone', { user_id: 'usr_10000000000000103' }, SLACK_OF_ACME],
  ])('runs with the account that is found by %s, and notes the use', async (_, selection, id) => {
    const { api, control } = await boot();
    await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const { body: clock } = await control.get('/clock').expect(200);

    await execute(api, { ...CHANNELS, ...selection }).expect(200);

    const { rows } = (await control.get('/state/connected_accounts').expect(200)).body;
    const used = rows.filter((row: { last_used_at?: string }) => row.last_used_at === clock.now);
    expect(used.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  it('gives each run an id of its own, also one that fails', async () => {
    const { api } = await boot({ now: NOW });
    const failedId = async () =>
      (await execute(api, { tool_name: 'no_such_tool' }).expect(404)).body.details[0].tool_error_info
        .execution_id as string;

    const failed = [await failedId(), await failedId()];
    const { body } = await execute(api, { ...PROFILE, identifier: 'default' }).expect(200);

    expect(new Set([...failed, body.execution_id]).size).toBe(3);
  });

  it('runs without params', async () => {
    const { api } = await boot();

    const answer = await execute(api, { ...PROFILE, identifier: 'default', params: null });

    expect(answer.status).toBe(200);
  });

  it('runs as part of an agent’s work', async () => {
    const { api } = await boot();

    const answer = await execute(api, { ...PROFILE, identifier: 'default', agent_run_id: 'run-1' });

    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('understudy-warnings');
  });

  it('renews an access token that ran out, where there is a refresh token', async () => {
    const { api, control } = await boot();
    await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    await control.post('/clock/advance').send({ by: '2h' }).expect(200);
    const stored = async () =>
      (await control.get('/state/connected_accounts/ca_10000000000000301').expect(200)).body;
    const before = await stored();

    await execute(api, { ...PROFILE, identifier: 'default' }).expect(200);

    const { now } = (await control.get('/clock').expect(200)).body;
    const { oauth_token } = before.authorization_details;
    expect(before.token_expires_at < now).toBe(true);
    expect(await stored()).toEqual({
      ...before,
      status: 'ACTIVE',
      authorization_details: {
        oauth_token: { ...oauth_token, access_token: expect.stringMatching(/^at_\w{32}$/) },
      },
      token_expires_at: new Date(Date.parse(now) + 3_600_000).toISOString(),
      updated_at: now,
      last_used_at: now,
    });
  });

  it('leaves credentials alone that are still good', async () => {
    const { api, control } = await boot();
    const before = await api.get(`${ACCOUNTS}/auth?id=ca_10000000000000301`).expect(200);

    await execute(api, { ...PROFILE, identifier: 'default' }).expect(200);

    const { body } = await control.get('/state/connected_accounts/ca_10000000000000301').expect(200);
    const { last_used_at: _, ...account } = before.body.connected_account;
    expect(body).toMatchObject({ ...pick(account), status: 'ACTIVE' });
  });

  it('does not run once the access token ran out for good, by the clock', async () => {
    const { api, control } = await boot();
    const { body } = await api
      .post(ACCOUNTS)
      .send({
        connector: 'gmail',
        identifier: 'lea',
        connected_account: { authorization_details: { oauth_token: { access_token: 'at-1' } } },
      })
      .expect(201);
    const { id } = body.connected_account;
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: 'now+1h' }).expect(200);
    await execute(api, { ...PROFILE, connected_account_id: id }).expect(200);

    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const refused = await execute(api, { ...PROFILE, connected_account_id: id });
    const message = `connected account ${id} is EXPIRED, not ACTIVE: the user has to authorize it`;
    expect(heard(refused)).toEqual(toolError(400, 9, 'CONNECTED_ACCOUNT_EXPIRED', message));
  });

  it.each([
    ['EXPIRED', 'github_user_get_authenticated', 'ca_10000000000000304'],
    ['PENDING_AUTH', 'notion_page_search', 'ca_10000000000000305'],
    ['PENDING_VERIFICATION', 'googlecalendar_list_events', 'ca_10000000000000306'],
    ['DISCONNECTED', 'hubspot_contacts_list', 'ca_10000000000000307'],
  ])('does not run with an account that is %s', async (status, tool_name, id) => {
    const { api } = await boot();

    const refused = await execute(api, { tool_name, connected_account_id: id });

    const message = `connected account ${id} is ${status}, not ACTIVE: the user has to authorize it`;
    expect(heard(refused)).toEqual(toolError(400, 9, `CONNECTED_ACCOUNT_${status}`, message));
  });

  const refusals: [title: string, call: object, answer: ReturnType<typeof toolError>][] = [
    ['no tool name', {}, toolError(400, 3, 'TOOL_NAME_MISSING', 'tool name is required')],
    [
      'an empty tool name',
      { tool_name: '' },
      toolError(400, 3, 'TOOL_NAME_MISSING', 'tool name is required'),
    ],
    [
      'an unknown tool',
      { tool_name: 'gmail_send_email', identifier: 'default' },
      toolError(404, 5, 'TOOL_NOT_FOUND', 'tool not found: gmail_send_email'),
    ],
    [
      'an unknown account id',
      { ...PROFILE, connected_account_id: 'ca_1' },
      toolError(404, 5, 'CONNECTED_ACCOUNT_NOT_FOUND', 'connected account ca_1 not found'),
    ],
    [
      'an unknown identifier',
      { ...PROFILE, connector: 'gmail', identifier: 'nobody' },
      toolError(
        404,
        5,
        'CONNECTED_ACCOUNT_NOT_FOUND',
        'connected account connector gmail, identifier nobody not found',
      ),
    ],
    [
      'an unknown connector',
      { ...PROFILE, connector: 'nope', identifier: 'default' },
      toolError(404, 5, 'CONNECTED_ACCOUNT_NOT_FOUND', 'connection not found for key: nope'),
    ],
    [
      'an identifier of other connectors alone',
      { ...PROFILE, identifier: 'support-desk' },
      toolError(
        404,
        5,
        'CONNECTED_ACCOUNT_NOT_FOUND',
        'connected account not found for tool gmail_get_profile',
      ),
    ],
    [
      'an organization without such an account',
      { ...PROFILE, identifier: 'default', organization_id: 'org_10000000000000001' },
      toolError(
        404,
        5,
        'CONNECTED_ACCOUNT_NOT_FOUND',
        'connected account not found for tool gmail_get_profile',
      ),
    ],
    [
      'an account of another connector',
      { ...PROFILE, connected_account_id: SLACK_OF_ACME },
      toolError(
        400,
        3,
        'CONNECTOR_MISMATCH',
        `connected account ${SLACK_OF_ACME} is of SLACK, tool gmail_get_profile is of GMAIL`,
      ),
    ],
    [
      'another connector by name',
      { ...PROFILE, connector: 'exa', identifier: 'research-bot' },
      toolError(
        400,
        3,
        'CONNECTOR_MISMATCH',
        'connected account ca_10000000000000309 is of EXA, tool gmail_get_profile is of GMAIL',
      ),
    ],
    [
      'no account at all',
      PROFILE,
      toolError(
        400,
        3,
        'INVALID_SELECTION',
        'give connected_account_id, or connector and identifier: no account is selected',
      ),
    ],
    [
      'the connector alone',
      { ...PROFILE, connector: 'gmail' },
      toolError(
        400,
        3,
        'INVALID_SELECTION',
        'give the id of the connected account, or connector and identifier; identifier is missing',
      ),
    ],
    ...['text', 7, true, ['a']].map((params): [string, object, ReturnType<typeof toolError>] => [
      `params that are no object: ${JSON.stringify(params)}`,
      { ...PROFILE, identifier: 'default', params },
      toolError(400, 3, 'INVALID_PARAMS', 'tool validation failed: params must be object'),
    ]),
    [
      'several wrong params, naming each',
      { tool_name: 'slack_send_message', connected_account_id: SLACK_OF_ACME, params: { text: 7 } },
      toolError(
        400,
        3,
        'INVALID_PARAMS',
        "tool validation failed: params must have required property 'channel'; params.text must be string",
      ),
    ],
  ];

  it.each(refusals)('refuses %s, and changes nothing', async (_, call, answer) => {
    const { api, control } = await boot();
    const before = (await control.get('/state').expect(200)).body;

    const refused = await execute(api, call);

    expect(heard(refused)).toEqual(answer);
    expect((await control.get('/state').expect(200)).body).toEqual(before);
  });

  it('refuses a call without a body', async () => {
    const { api } = await boot();

    const refused = await api.post('/api/v1/execute_tool');

    expect(heard(refused)).toEqual(toolError(400, 3, 'TOOL_NAME_MISSING', 'tool name is required'));
  });

  it('does not take a provider’s refusal for one of its own', async () => {
    const { api, control } = await boot();
    const tool = { code: 'UNAUTHORIZED', message: 'token revoked' };
    const reply = { error: 'tool_error', grpc: 'UNAUTHENTICATED', message: 'token revoked', tool };
    const rules = [{ on: 'ToolService_ExecuteTool', reply }];
    await control.post('/scenarios').send({ name: 'revoked', rules }).expect(201);

    const refused = await execute(api, { ...PROFILE, identifier: 'default' });

    expect(refused).toMatchObject({
      body: {
        code: 16,
        details: [
          {
            error_code: 'TOOL_ERROR',
            tool_error_info: { tool_error_code: 'UNAUTHORIZED', tool_error_message: 'token revoked' },
          },
        ],
      },
    });
  });

  it('reads input schemas of any dialect', async () => {
    const { api, control } = await boot();
    const input_schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { depth: { type: ['integer', 'null'], minimum: 1 } },
    };
    await addTool(control, { input_schema });
    const call = { tool_name: 'gmail_own', identifier: 'default' };

    const statuses = [];
    for (const depth of [1, null, 0, 'x'])
      statuses.push((await execute(api, { ...call, params: { depth } })).status);

    expect(statuses).toEqual([200, 200, 400, 400]);
  });

  it.each([
    ['tool_name', 'type', { tool_name: 7 }],
    ['connected_account_id', 'string.max_len', { connected_account_id: 'x'.repeat(101) }],
    ['connector', 'string.max_len', { connector: 'x'.repeat(401) }],
    ['connector', 'string.pattern', { connector: 'a/b' }],
    ['organization_id', 'string.max_len', { organization_id: 'x'.repeat(101) }],
    ['user_id', 'string.max_len', { user_id: 'x'.repeat(101) }],
    ['agent_run_id', 'string.max_len', { agent_run_id: 'x'.repeat(256) }],
  ])('keeps the bounds of %s (%s)', async (field, constraint, wrongly) => {
    const { api } = await boot();

    const refused = await execute(api, { ...PROFILE, identifier: 'default', ...wrongly });

    expect(refused.status).toBe(400);
    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field, constraint },
    ]);
  });
});

const pick = ({ authorization_details, token_expires_at, updated_at }: Record<string, unknown>) => ({
  authorization_details,
  token_expires_at,
  updated_at,
});
