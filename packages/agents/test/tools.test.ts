import { describe, expect, it } from 'vitest';
import { CLIENT, intercept, SILENCE } from '../../../test/interceptors/support.ts';
import { bootPort, connectAgent, type McpBooted, type Revision } from '../../../test/support/mcp.ts';
import { REFUSALS, STEPS } from './steps.ts';

const fresh = bootPort();

async function agentFor({ at, own }: McpBooted, revision?: Revision) {
  const { client } = await connectAgent(at('http://x/_control/mcp'), {
    environment: own.name,
    ...(revision && { revision }),
  });
  const { tools } = await client.listTools(); // from then on, the client checks answers against the output schemas
  const call = async (name: string, args: object) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    const [content] = result.content as { text: string }[];
    const data = result.structuredContent as Record<string, unknown> | undefined;
    return { isError: result.isError, data, text: content!.text };
  };
  return { client, tools, call };
}

describe('The tools for agents', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'all answer valid input, in revision %s',
    async (revision) => {
      const { tools, call } = await agentFor(await fresh(), revision);

      for (const { tool, args, says } of STEPS) {
        const { text, isError, data } = await call(tool, args);
        expect(text, `${tool} ${JSON.stringify(args)}`).toMatch(says);
        expect({ tool, isError, data: typeof data }).toMatchObject({ tool, data: 'object' });
      }
      expect(tools.map(({ name }) => name).toSorted()).toEqual(
        [...new Set(STEPS.map(({ tool }) => tool))].concat('save_scenario').toSorted(),
      );
    },
  );

  it('refuse broken input with a message that names the argument, and change nothing', async () => {
    const booted = await fresh();
    const { tools, call } = await agentFor(booted);
    const before = await booted.control.get('/state/hash').expect(200);

    for (const [tool, args, message] of REFUSALS) {
      const { text, isError } = await call(tool, args);
      expect({ tool, isError, text }).toEqual({
        tool,
        isError: true,
        text: expect.stringMatching(message),
      });
    }
    expect((await booted.control.get('/state/hash').expect(200)).body).toEqual(before.body);
    const refused = new Set(REFUSALS.map(([tool]) => tool));
    expect(tools.map(({ name }) => name).filter((name) => !refused.has(name))).toEqual([]);
  });

  it('say what they do to the state', async () => {
    const { tools } = await agentFor(await fresh());

    const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    const destroyers = tools
      .filter(({ annotations }) => annotations?.destructiveHint)
      .map(({ name }) => name);

    expect(readers.every((name) => /^(get|list|read|check|describe|explain)_/.test(name))).toBe(true);
    expect(destroyers.toSorted()).toEqual([
      'apply_remedy',
      'call_operation',
      'delete_row',
      'drop_environment',
      'put_row',
      'reset_environment',
      'restore_snapshot',
      'save_scenario',
    ]);
    for (const { description, inputSchema } of tools)
      expect({ description, inputSchema }).toEqual({
        description: expect.stringMatching(/^[A-Z].{30,}/s),
        inputSchema: expect.objectContaining({ type: 'object' }),
      });
  });

  it('take little of a model’s memory', async () => {
    const { tools } = await agentFor(await fresh());

    expect(JSON.stringify(tools).length).toBeLessThan(16_000);
  });

  it.each([
    ['invite', /^UserService_ResendInvite: /],
    ['invite user', /UserService_CreateMembership: /],
    ['connected accounts', /ConnectedAccountService_ListConnectedAccounts: /],
    ['list the sso connections of an organization', /^ConnectionService_ListOrganizationConnections: /],
    ['revoke session', /^SessionService_RevokeSession: /],
    ['portal links', /^OrganizationService_(GetPortalLinks|GeneratePortalLink|DeletePortalLink): /],
  ])('find operations by plain words: %s', async (search, found) => {
    const { call } = await agentFor(await fresh());

    const { text } = await call('describe_operation', { search });

    expect(text).toMatch(found);
  });

  it.each([
    ['rate limit', 'rate-limit-once'],
    ['too many requests', 'rate-limit-once'],
    ['expired invitations', 'invite-expired'],
    ['slow answers', 'slow'],
  ])('find scenarios by plain words: %s', async (search, name) => {
    const { call } = await agentFor(await fresh());

    const { data } = await call('list_scenarios', { search });

    const names = (data!['available'] as { name: string }[]).map((each) => each.name);
    expect(names.slice(0, 5).join(' ')).toContain(name);
  });

  it('repeat only the beginning of a long search that finds nothing', async () => {
    const { call } = await agentFor(await fresh());

    const { text } = await call('list_scenarios', { search: 'q'.repeat(100_000) });

    expect(text.length).toBeLessThan(1000);
  });

  it('name operations that mean the same as a wrong name', async () => {
    const { call } = await agentFor(await fresh());

    const { text, isError } = await call('describe_operation', { operation: 'UserService_InviteUser' });

    expect(isError).toBe(true);
    expect(text).toMatch(/did you mean UserService_CreateUserAndMembership\?/);
    expect(text).toMatch(/Others with such words: .*UserService_ResendInvite/);
  });

  it('say what an operation rests on', async () => {
    const { call } = await agentFor(await fresh());
    const operation = 'RolesService_DeleteRole';
    await call('call_operation', { operation, parameters: { role_name: 'none' } });

    const described = await call('describe_operation', { operation });
    const explained = await call('explain_call', {});

    expect(described.data!['operation']).toMatchObject({
      evidence: {
        state: 'driven',
        unknown: expect.arrayContaining([
          expect.objectContaining({ id: 'roles/delete-default-role', rule: expect.any(String) }),
        ]),
      },
    });
    expect(explained.text).toContain(
      '- Evidence for this operation: driven. Driven by Official SDK for Node ',
    );
  });

  it('say that a Jsonnet template was not evaluated', async () => {
    const booted = await fresh();
    const { call } = await agentFor(booted);
    const template = {
      api_url: SILENCE,
      failure_policy: 'FAIL_OPEN',
      response_template: '{ decision: "ALLOW" }',
    };
    await intercept(booted.api, template);
    const { rows } = (await booted.control.get('/state/clients').expect(200)).body;
    const client = rows.find((row: { id: string }) => row.id.startsWith('m2morg_'));
    await booted.anonymous
      .post('/oauth/token')
      .type('form')
      .send({ grant_type: 'client_credentials', client_id: client.id, client_secret: CLIENT.client_secret })
      .expect(200);

    const { text } = await call('explain_call', {});

    expect(text).toContain('response_template is stored, but not evaluated');
  });

  it('take a status as a number', async () => {
    const { call } = await agentFor(await fresh());
    await call('call_operation', { operation: 'UserService_GetUser', parameters: { id: 'usr_1' } });

    for (const status of [404, '404', '4xx']) {
      const { data } = await call('list_calls', { status });
      expect(data!['calls']).toMatchObject([{ status: 404 }]);
    }
    expect((await call('list_calls', { status: 403, wait: '1ms' })).isError).toBe(true);
  });

  it('emit events of a type that the contract lacks, like one that it has', async () => {
    const { call } = await agentFor(await fresh());

    const { data } = await call('trigger_event', {
      type: 'scalekit.dir.user.create',
      like: 'organization.directory.user_created',
    });

    expect(data).toMatchObject({ type: 'scalekit.dir.user.create' });
  });

  it('make the second call fail, see it, explain it, and undo it', async () => {
    const booted = await fresh();
    const { call } = await agentFor(booted);
    const create = { operation: 'OrganizationService_CreateOrganization', body: { display_name: 'Acme' } };
    const yaml =
      'name: second-fails\nrules:\n  - on: OrganizationService_CreateOrganization\n    after: 1\n    times: 1\n    reply: { error: rate_limited }';

    await call('load_scenario', { yaml });
    const statuses = [];
    for (let number = 0; number < 3; number += 1)
      statuses.push((await call('call_operation', create)).data?.['status']);
    const explained = await call('explain_call', {});
    await call('unload_scenario', { name: 'second-fails' });

    expect(statuses).toEqual([201, 429, 201]);
    expect(explained.data).toMatchObject({
      reasons: expect.arrayContaining([expect.stringMatching(/Rule 0 of scenario second-fails was applied/)]),
      next: [
        expect.stringContaining('unload_scenario with name second-fails'),
        expect.stringContaining('list_remedies with id req_4'),
      ],
    });
    const { body } = await booted.control.get('/requests?operation=OAuth_Token').expect(200);
    expect(body.requests).toHaveLength(2); // that of `fresh`, and one for all calls of the agent
  });

  it('tell a call that a scenario breaks off', async () => {
    const { call } = await agentFor(await fresh());
    await call('load_scenario', { name: 'dropped-connections' });

    const { text, isError } = await call('call_operation', {
      operation: 'OrganizationService_ListOrganization',
    });

    expect({ text, isError }).toEqual({
      isError: true,
      text: expect.stringMatching(/^no answer: .*explain_call/),
    });
  });

  it('find rows by values in the whole collection, page by page', async () => {
    const { control, ...booted } = await fresh();
    const { call } = await agentFor({ control, ...booted });
    const patch = { display_name: 'A "b"  c\\d', metadata: { plan: 'gold' } };
    await control.patch('/state/organizations/org_10000000000000002').send(patch).expect(200);
    const where = async (wanted: object, page: object = {}) => {
      const { data } = await call('list_rows', { collection: 'organizations', where: wanted, ...page });
      const ids = (data!['rows'] as { id: string }[]).map(({ id }) => id.slice(-2));
      return { ids, total: data?.['total'] };
    };

    expect(await where({ display_name: 'A "b"  c\\d' })).toEqual({ ids: ['02'], total: 1 });
    expect(await where({ metadata: { plan: 'gold' } })).toEqual({ ids: ['02'], total: 1 });
    expect(await where({ display_name: 'gold' })).toEqual({ ids: [], total: 0 });
    const { total } = await where({ region_code: 'US' });
    expect(total).toBeGreaterThan(2);
    expect((await where({ region_code: 'US' }, { offset: 1, limit: 1 })).ids).toHaveLength(1);
    expect(await where({ region_code: 'US' }, { offset: Number(total) })).toEqual({ ids: [], total });
  });

  it('cut long results and say how to get the rest', async () => {
    const { api, ...booted } = await fresh();
    const { call } = await agentFor({ api, ...booted });
    for (let number = 0; number < 25; number += 1)
      await api
        .post('/api/v1/organizations')
        .send({ display_name: 'x'.repeat(150) })
        .expect(201);

    const page = await call('list_rows', { collection: 'organizations' });
    const rest = await call('list_rows', { collection: 'organizations', offset: 20, limit: 100 });
    const calls = await call('list_calls', { operation: 'OrganizationService_CreateOrganization', limit: 5 });

    expect(page.data).toMatchObject({ total: 37, more: expect.stringMatching(/offset 20/) });
    expect(rest.data?.['rows']).toHaveLength(17);
    expect(calls.text).toMatch(/list_calls with before req_\d+/);
  });
});
