import { describe, expect, it } from 'vitest';
import { FAILURES, type FailureName } from '../../src/contract/errors.ts';
import { boot } from '../support/boot.ts';
import { complain, contract } from './support.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';
const GET = 'OrganizationService_GetOrganization';
const TOOL = 'ToolService_ExecuteTool';

async function replying(reply: object, on: unknown = GET) {
  const booted = await boot({ brokenContract: true });
  await booted.control
    .post('/scenarios')
    .send({ name: 'test', rules: [{ on, reply }] })
    .expect(201);
  return booted;
}

const declared = Object.keys(contract.operation(GET)!.responses);
const names = (Object.keys(FAILURES) as FailureName[]).filter((name) =>
  declared.includes(String(FAILURES[name].http)),
);

describe('a reply with a named error', () => {
  it.each(names)('responds to %s as the service would', async (name) => {
    const { api } = await replying({ error: name });

    const { status, body, headers } = await api.get(ORGANIZATION);

    const { http, grpc, errorCode } = FAILURES[name];
    expect(status).toBe(http);
    expect(body).toMatchObject({
      code: grpc,
      message: name.replaceAll('_', ' '),
      details: [{ '@type': expect.stringMatching(/ErrorInfo$/), error_code: errorCode }],
    });
    expect(headers).not.toHaveProperty('understudy-contract');
  });

  it('takes a message, headers, violations, a gRPC code and a tool error', async () => {
    const { api } = await replying(
      {
        error: 'tool_error',
        message: 'no more',
        headers: { 'Retry-After': 2 },
        violations: [{ field: 'tool_name', description: 'is bad', constraint: 'string.pattern' }],
        grpc: 'RESOURCE_EXHAUSTED',
        tool: { code: 'RATE_LIMIT_EXCEEDED', message: 'quota exceeded' },
      },
      TOOL,
    );

    const { status, body, headers } = await api.post('/api/v1/execute_tool').send({});

    expect([status, headers['retry-after']]).toEqual([500, '2']);
    const violation = { field: 'tool_name', description: 'is bad', constraint: 'string.pattern' };
    expect(body).toEqual({
      code: 8,
      message: 'no more',
      details: [
        {
          '@type': expect.any(String),
          error_code: 'TOOL_ERROR',
          validation_error_info: { field_violations: [violation] },
          tool_error_info: {
            execution_id: expect.stringMatching(/^exec_\d{17}$/),
            tool_error_code: 'RATE_LIMIT_EXCEEDED',
            tool_error_message: 'quota exceeded',
          },
        },
      ],
    });
  });

  it('has the OAuth error format at the token endpoint', async () => {
    const { anonymous } = await replying({ error: 'unavailable' }, { method: 'POST', path: '/oauth/token' });

    const { body } = await anonymous.post('/oauth/token').type('form').send({});

    expect(body).toHaveProperty('error');
  });
});

describe('a reply with a status and a body', () => {
  it('is sent without a contract header when it conforms to the contract', async () => {
    const organization = {
      id: 'org_1',
      display_name: 'Scripted',
      region_code: 'US',
      create_time: 'now-1d',
      update_time: '2026-01-01T00:00:00Z',
      metadata: {},
    };
    const { api, control } = await replying({ status: 200, headers: { 'x-a': 'b' }, body: { organization } });
    await control.put('/clock').send({ mode: 'frozen', at: '2026-03-02T09:00:00Z' }).expect(200);

    const { body, headers } = await api.get(ORGANIZATION).expect(200);

    expect(body).toEqual({ organization: { ...organization, create_time: '2026-03-01T09:00:00.000Z' } });
    expect(headers['x-a']).toBe('b');
    expect(headers).not.toHaveProperty('understudy-contract');
  });

  it.each([302, 303])(
    'redirects browsers with %i, as the binding of each method declares',
    async (status) => {
      const headers = { location: 'https://elsewhere.example/' };
      const { anonymous } = await replying({ status, headers }, 'OAuth_Authorize');

      const asked = await anonymous.get('/oauth/authorize');
      const sent = await anonymous.post('/oauth/authorize').type('form').send({});

      expect([asked.status, sent.status]).toEqual([302, 303]);
      expect([asked.headers['location'], sent.headers['location']]).toEqual(Array(2).fill(headers.location));
      expect(asked.headers).not.toHaveProperty('understudy-contract');
    },
  );

  it('must have a status that the binding named by the rule declares', () => {
    const rule =
      'on: { method: POST, path: /oauth/authorize }\n    reply: { status: 302, headers: { location: / } }';

    expect(complain(`name: test\nrules:\n  - ${rule}\n`)).toEqual([
      expect.stringContaining(
        'OAuth_Authorize (POST /oauth/authorize): the contract has no answer with status 302, it has 303,',
      ),
    ]);
  });

  it('may break the contract only with `contract: violated`, and then has a header', async () => {
    const { api } = await replying({ status: 418, body: { tea: true }, contract: 'violated' });

    const { body, headers } = await api.get(ORGANIZATION).expect(418);

    expect(body).toEqual({ tea: true });
    expect(headers['understudy-contract']).toBe('violated');
  });

  it('may be a text, such as the error page of a proxy', async () => {
    const html = '<h1>Bad gateway</h1>';
    const headers = { 'Content-Type': 'text/html' };
    const page = await replying({ status: 502, headers, body: html, contract: 'violated' });
    const plain = await replying({ status: 502, body: 'upstream died', contract: 'violated' });

    const [first, second] = [await page.api.get(ORGANIZATION), await plain.api.get(ORGANIZATION)];

    expect([first.status, first.type, first.text]).toEqual([502, 'text/html', html]);
    expect([second.status, second.type, second.text]).toEqual([502, 'text/plain', 'upstream died']);
  });

  it.each([[204], [304]])('may have an empty body with status %i', async (status) => {
    const { api, control } = await replying({ status, contract: 'violated' });

    const answer = await api.get(ORGANIZATION).expect(status);

    expect(answer.text).toBe('');
    const { body } = await control.get(`/requests?status=${status}`).expect(200);
    expect(body.requests).toMatchObject([{ operation: GET, scenario: { name: 'test', rule: 0 } }]);
  });
});

describe('a reply that HTTP does not allow', () => {
  const reply = (members: string) =>
    `name: test\nrules:\n  - on: ${GET}\n    reply: { status: 204, contract: violated, ${members} }\n`;

  it.each([
    [
      'a body that is never sent',
      'body: {}',
      '4:47 rules[0].reply.body: an answer with status 204 has no body',
    ],
    [
      'a Content-Length header',
      'headers: { Content-Length: 3 }',
      '4:58 rules[0].reply.headers.Content-Length: follows from the body; to break it, use fault',
    ],
  ])('is reported for %s', (_, members, expected) => {
    const complaints = complain(reply(members));

    expect(complaints).toEqual([expected]);
  });
});

describe('a reply on a hosted page', () => {
  const load = async (reply: object) => {
    const booted = await boot();
    const scenario = { name: 'page', rules: [{ on: 'LoginPage_Show', reply }] };
    const { status } = await booted.control.post('/scenarios').send(scenario);
    return { ...booted, status };
  };

  it('may be an HTML page', async () => {
    const { anonymous } = await load({ status: 503, body: '<!doctype html><title>Back at nine</title>' });

    const page = await anonymous.get('/ui/login/req_10000000000000901').expect(503);

    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('Back at nine');
  });

  it('must not be JSON', async () => {
    expect((await load({ status: 503, body: { a: 1 } })).status).toBe(400);
  });
});
