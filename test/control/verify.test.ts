import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';
const TOOL = { tool_name: 'github_user_get_authenticated', connector: 'github' };

const verify = ({ control }: Booted, body: object) => control.post('/requests/verify').send(body);

const runTool = ({ api }: Booted, identifier: string) =>
  api.post('/api/v1/execute_tool').send({ ...TOOL, identifier });

describe('Control_VerifyRequests', () => {
  it.each([
    [{ operation: 'OrganizationService_GetOrganization' }, {}, 2],
    [{ operation: ['OrganizationService_Get*'], status: '2xx' }, { times: 1 }, 1],
    [{ method: 'get', path: '/api/v1/organizations/{id}', status: 404 }, { times: 1 }, 1],
    [{ query: { page_size: '3' } }, { at_least: 1, at_most: 1 }, 1],
    [{ headers: { 'x-trace': { regex: '^a.c$' } } }, { times: 1 }, 1],
    [{ headers: { 'X-Trace': 'abc' } }, { times: 1 }, 1],
    [{ status: 500 }, { at_most: 0 }, 0],
    [{}, { at_least: 4 }, 4],
  ])('counts the calls that match %o as %o', async (match, times, count) => {
    const booted = await boot();
    const { api } = booted;
    await api.get(ORGANIZATION).set('x-trace', 'abc').expect(200);
    await api.get('/api/v1/organizations/org_1').expect(404);
    await api.get('/api/v1/organizations?page_size=3').expect(200);

    const { body } = await verify(booted, { match, ...times }).expect(200);

    expect(body).toEqual({ count });
  });

  it('counts only later calls with `since`', async () => {
    const booted = await boot();
    const { headers } = await booted.api.get(ORGANIZATION).expect(200);
    const match = { operation: 'OrganizationService_GetOrganization' };

    await verify(booted, { match, times: 0, since: headers['understudy-request-id'] }).expect(200);
  });

  it('explains the format of a status', async () => {
    const { body } = await verify(await boot(), { match: { status: { gte: 400 } } }).expect(400);

    expect(body.details[0].validation_error_info.field_violations).toEqual([
      {
        field: 'match.status',
        description: 'value must be a status, such as 404 or 4xx',
        constraint: 'type',
      },
    ]);
  });

  it('shows the nearest calls with the fields that differ', async () => {
    const booted = await boot();
    await booted.api.get(ORGANIZATION).expect(200);
    await runTool(booted, 'ada');
    await runTool(booted, 'bob');
    const match = {
      operation: 'ToolService_ExecuteTool',
      body: { tool_name: 'github_user_get_authenticated', identifier: 'eve', connector: 'github' },
    };

    const { body } = await verify(booted, { match, times: 1 }).expect(422);

    expect(body).toMatchObject({
      code: 9,
      message: 'expected exactly 1 call that matches, saw 0',
      details: [{ error_code: 'FAILED_PRECONDITION' }],
      count: 0,
      expected: { times: 1 },
      matching: [],
    });
    expect(body.nearest.slice(0, 2)).toEqual([
      {
        id: 'req_4',
        method: 'POST',
        path: '/api/v1/execute_tool',
        operation: 'ToolService_ExecuteTool',
        status: expect.any(Number),
        differences: [{ field: 'body.identifier', expected: 'eve', actual: 'bob' }],
      },
      expect.objectContaining({
        id: 'req_3',
        differences: [{ field: 'body.identifier', expected: 'eve', actual: 'ada' }],
      }),
    ]);
  });

  it('lists the matching calls when there are too many', async () => {
    const booted = await boot();
    const { headers } = await booted.api.get(ORGANIZATION).expect(200);
    const match = { operation: 'OrganizationService_GetOrganization' };

    const { body } = await verify(booted, { match, at_most: 0 }).expect(422);

    expect(body).toMatchObject({
      message: 'expected exactly 0 calls that match, saw 1',
      matching: [headers['understudy-request-id']],
      expected: { at_most: 0 },
    });
  });

  it('redacts secrets in the match and in the calls', async () => {
    const booted = await boot();
    const form = { grant_type: 'client_credentials', client_id: 'skc_1', client_secret: 'planted4secret' };
    await booted.anonymous.post('/oauth/token').type('form').send(form).expect(401);
    const match = {
      operation: 'OAuth_Token',
      body: { client_id: 'skc_1', client_secret: 'expected4secret' },
    };

    const { body, text } = await verify(booted, { match }).expect(422);

    expect(text).not.toMatch(/4secret/);
    expect(body.nearest[0].differences).toEqual([
      { field: 'body.client_secret', expected: '[redacted]', actual: '[redacted]' },
    ]);
  });

  it.each([
    [{ match: { operation: 'UserService_ResendInvit' } }, 'did you mean UserService_ResendInvite?'],
    [
      { match: { operation: 'OrganizationService_CreateOrganization', body: { display_nam: 'x' } } },
      'match.body.display_nam: none of',
    ],
    [{ match: {}, times: 1, at_least: 1 }, 'times cannot be combined'],
    [{ match: {}, at_least: 2, at_most: 1 }, 'at_least: 2 is more than at_most: 1'],
    [{ match: { state: 1 } }, 'Validation error'],
    [{ match: { status: 'soon' } }, 'Validation error'],
    [{ match: {}, times: -1 }, 'Validation error'],
    [{}, 'Validation error'],
  ])('refuses %o', async (wrong, message) => {
    const { body } = await verify(await boot(), wrong).expect(400);

    expect(body.message).toContain(message);
  });

  it('responds 404 when `since` is an unknown request', async () => {
    const { body } = await verify(await boot(), { match: {}, since: 'req_99' }).expect(404);

    expect(body.message).toContain('request req_99 not found');
  });
});
