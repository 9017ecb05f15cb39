import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { ACCOUNTS, NOW, addTool, execute, heard, toolError } from '../../../../test/support/tools.ts';
import { invalid as invalidBody, notFound } from '../../../../test/support/violations.ts';
import { SLACK_OF_ACME, SLACK_OF_NORDWIND } from '../../../../test/support/fixture-ids.ts';

/** Refusals by the service itself, which are no `TOOL_ERROR`. */
const invalid = (message: string) => ({ status: 400, body: invalidBody(message) });
const missing = (message: string) => ({ status: 404, body: notFound(message) });

describe('ToolService_ExecuteTool', () => {
  const PROFILE = { tool_name: 'gmail_get_profile' };
  const CHANNELS = { tool_name: 'slack_list_channels' };

  it.each([
    ['its id', { connected_account_id: SLACK_OF_NORDWIND }, SLACK_OF_NORDWIND],
    [
      'its id, with other fields ignored',
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
    ['only the identifier', { identifier: 'nina@nordwind.example' }, SLACK_OF_ACME],
    [
      'the identifier, narrowed by organization',
      { identifier: 'nina@nordwind.example', organization_id: 'org_10000000000000002' },
      SLACK_OF_NORDWIND,
    ],
    ['only the organization', { organization_id: 'org_10000000000000002' }, SLACK_OF_NORDWIND],
    ['only the user', { user_id: 'usr_10000000000000103' }, SLACK_OF_ACME],
  ])('runs with the account found by %s and sets last_used_at', async (_, selection, id) => {
    const { api, control } = await boot();
    await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    const { body: clock } = await control.get('/clock').expect(200);

    await execute(api, { ...CHANNELS, ...selection }).expect(200);

    const { rows } = (await control.get('/state/connected_accounts').expect(200)).body;
    const used = rows.filter((row: { last_used_at?: string }) => row.last_used_at === clock.now);
    expect(used.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  it('returns a different execution_id for each run, even for failed runs', async () => {
    const { api } = await boot({ now: NOW });
    const expired = {
      tool_name: 'github_user_get_authenticated',
      connected_account_id: 'ca_10000000000000304',
    };
    const failedId = async () =>
      (await execute(api, expired).expect(400)).body.details[0].tool_error_info.execution_id as string;

    const failed = [await failedId(), await failedId()];
    const { body } = await execute(api, { ...PROFILE, identifier: 'default' }).expect(200);

    expect(new Set([...failed, body.execution_id]).size).toBe(3);
  });

  it('runs without params', async () => {
    const { api } = await boot();

    const answer = await execute(api, { ...PROFILE, identifier: 'default', params: null });

    expect(answer.status).toBe(200);
  });

  it('accepts agent_run_id', async () => {
    const { api } = await boot();

    const answer = await execute(api, { ...PROFILE, identifier: 'default', agent_run_id: 'run-1' });

    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('understudy-warnings');
  });

  it('refreshes an expired access token when there is a refresh token', async () => {
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

  it('keeps credentials that have not expired', async () => {
    const { api, control } = await boot();
    const before = await api.get(`${ACCOUNTS}/auth?id=ca_10000000000000301`).expect(200);

    await execute(api, { ...PROFILE, identifier: 'default' }).expect(200);

    const { body } = await control.get('/state/connected_accounts/ca_10000000000000301').expect(200);
    const { last_used_at: _, ...account } = before.body.connected_account;
    expect(body).toMatchObject({ ...pick(account), status: 'ACTIVE' });
  });

  it('fails after the access token expired when there is no refresh token', async () => {
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
  ])('fails with an account whose status is %s', async (status, tool_name, id) => {
    const { api } = await boot();

    const refused = await execute(api, { tool_name, connected_account_id: id });

    const message = `connected account ${id} is ${status}, not ACTIVE: the user has to authorize it`;
    expect(heard(refused)).toEqual(toolError(400, 9, `CONNECTED_ACCOUNT_${status}`, message));
  });

  const refusals: [title: string, call: object, answer: ReturnType<typeof invalid>][] = [
    ['no tool name', {}, invalid('tool name is required')],
    ['an empty tool name', { tool_name: '' }, invalid('tool name is required')],
    [
      'an unknown tool',
      { tool_name: 'gmail_send_nothing', identifier: 'default' },
      missing(
        'tool not found: gmail_send_nothing; did you mean gmail_send_message?; the setting tools.accept_unknown runs any tool',
      ),
    ],
    [
      'an unknown account id',
      { ...PROFILE, connected_account_id: 'ca_1' },
      missing('connected account ca_1 not found'),
    ],
    [
      'an unknown identifier',
      { ...PROFILE, connector: 'gmail', identifier: 'nobody' },
      missing('connected account connector gmail, identifier nobody not found'),
    ],
    [
      'an unknown connector',
      { ...PROFILE, connector: 'nope', identifier: 'default' },
      missing('connection not found for key: nope'),
    ],
    [
      'an identifier without an account of this connector',
      { ...PROFILE, identifier: 'support-desk' },
      missing('connected account not found for tool gmail_get_profile'),
    ],
    [
      'an organization without such an account',
      { ...PROFILE, identifier: 'default', organization_id: 'org_10000000000000001' },
      missing('connected account not found for tool gmail_get_profile'),
    ],
    [
      'an account of another connector',
      { ...PROFILE, connected_account_id: SLACK_OF_ACME },
      invalid(`connected account ${SLACK_OF_ACME} is of SLACK, tool gmail_get_profile is of GMAIL`),
    ],
    [
      'another connector by name',
      { ...PROFILE, connector: 'exa', identifier: 'research-bot' },
      invalid('connected account ca_10000000000000309 is of EXA, tool gmail_get_profile is of GMAIL'),
    ],
    [
      'no account at all',
      PROFILE,
      invalid('give connected_account_id, or connector and identifier: no account is selected'),
    ],
    [
      'only the connector',
      { ...PROFILE, connector: 'gmail' },
      invalid('give the id of the connected account, or connector and identifier; identifier is missing'),
    ],
    ...['text', 7, true, ['a']].map((params): [string, object, ReturnType<typeof invalid>] => [
      `params that are no object: ${JSON.stringify(params)}`,
      { ...PROFILE, identifier: 'default', params },
      invalid('tool validation failed: params must be object'),
    ]),
    [
      'several wrong params and names each',
      { tool_name: 'slack_send_message', connected_account_id: SLACK_OF_ACME, params: { text: 7 } },
      invalid('missing or invalid channel parameter; tool validation failed: params.text must be string'),
    ],
  ];

  it.each(refusals)('refuses %s and changes nothing', async (_, call, answer) => {
    const { api, control } = await boot();
    const before = (await control.get('/state').expect(200)).body;

    const refused = await execute(api, call);

    expect(heard(refused)).toEqual(answer);
    expect((await control.get('/state').expect(200)).body).toEqual(before);
  });

  it('refuses a call without a body', async () => {
    const { api } = await boot();

    const refused = await api.post('/api/v1/execute_tool');

    expect(heard(refused)).toEqual(invalid('tool name is required'));
  });

  it('passes on a scripted error of the provider', async () => {
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

  it('validates input schemas of other JSON Schema dialects', async () => {
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
  ])('enforces the limits of %s (%s)', async (field, constraint, wrongly) => {
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
