import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { complain, complaintsOf, read } from './support.ts';

const rule = (lines: string) => `name: test\nrules:\n  - ${lines}\n`;
const resend = (lines: string) => rule(`on: UserService_ResendInvite\n    ${lines}`);

const FIRST_EDIT = { match: { id: 'mem_10000000000000006' }, set: { resent_count: 9 } };

describe('syntax errors of a scenario', () => {
  it.each([
    ['an unknown key', 'name: test\nruls: []\n', '2:1 ruls: unknown key ruls; did you mean rules?'],
    [
      'an unknown key without a similar one',
      'name: test\nprobability: 1\n',
      '2:1 probability: unknown key probability',
    ],
    ['a missing name', 'description: none\n', '1:1 : name is missing'],
    ['an empty text', '', '1:1 : must be a scenario: its `name`, and `clock`, `state`, `include` or `rules`'],
    [
      'a clock that is a string',
      'name: test\nclock: 2030-01-01\n',
      "2:8 clock: must be as in `{ mode: frozen, at: '2030-01-01T09:00:00Z' }`",
    ],
    [
      'a delay without its unit',
      rule('on: "*"\n    fault: { delay: 500 }'),
      '4:21 rules[0].fault.delay: must be a duration such as 300ms, 5s or 25h',
    ],
    [
      'a reply that is a string',
      resend('reply: gone'),
      '4:12 rules[0].reply: a reply has either `error` or `status`',
    ],
    [
      'an unknown key of a rule',
      resend('reply: { error: gone }\n    tims: 1'),
      '5:5 rules[0].tims: unknown key tims; did you mean times?',
    ],
    [
      'a rule without an effect',
      rule('on: "*"'),
      '3:5 rules[0]: a rule needs `do`, `reply`, `patch`, `fault` or `deliver`',
    ],
    [
      'a reply without error and status',
      resend('reply: {}'),
      '4:12 rules[0].reply: a reply has either `error` or `status`',
    ],
    [
      'a key that does not go with the error',
      resend('reply: { error: gone, body: {} }'),
      '4:27 rules[0].reply.body: goes with `status`, not with `error`',
    ],
    [
      'an unknown error',
      resend('reply: { error: rate_limit }'),
      '4:21 rules[0].reply.error: unknown value rate_limit; did you mean rate_limited?',
    ],
    [
      'an unknown gRPC code',
      resend('reply: { error: gone, grpc: RESOURCE_EXHAUST }'),
      '4:33 rules[0].reply.grpc: unknown value RESOURCE_EXHAUST; did you mean RESOURCE_EXHAUSTED?',
    ],
    [
      'an invalid delay',
      rule('on: "*"\n    fault: { delay: 3 seconds }'),
      '4:21 rules[0].fault.delay: must be a duration such as 300ms, 5s or 25h',
    ],
    [
      'delays in the wrong order',
      rule('on: "*"\n    fault: { delay: { uniform: [2s, 100ms] } }'),
      '4:32 rules[0].fault.delay.uniform: the shortest must come first',
    ],
    [
      'a `times` of zero',
      rule('on: "*"\n    times: 0\n    reply: { error: gone }'),
      '4:12 rules[0].times: must be >= 1',
    ],
    [
      'an invalid time',
      'name: test\nclock: { mode: frozen, at: yesterday }\n',
      '2:28 clock.at: must be an RFC 3339 time such as 2026-03-01T09:00:00Z',
    ],
    [
      'a day that does not exist',
      'name: test\nclock: { mode: frozen, at: 2026-13-01T09:00:00Z }\n',
      '2:28 clock.at: must be an RFC 3339 time such as 2026-03-01T09:00:00Z',
    ],
    [
      'an invalid offset',
      'name: test\nclock: { mode: offset, offset: 1 hour }\n',
      '2:32 clock.offset: must be a duration with or without a sign, such as -1h',
    ],
    [
      'an offset for a frozen clock',
      'name: test\nclock: { mode: frozen, offset: 1h }\n',
      '2:24 clock.offset: only a clock of mode offset takes `offset`',
    ],
    [
      'an invalid header name',
      resend('reply: { error: gone, headers: { "a b": c } }'),
      '4:38 rules[0].reply.headers.a b: a b is not the name of a header',
    ],
  ])('reports %s with its position', (_, yaml, expected) => {
    const complaints = complain(yaml);

    expect(complaints).toEqual([expected]);
  });

  it('reports the position of a YAML syntax error', () => {
    const complaints = complaintsOf(() => read('name: test\nrules: [\n'));

    expect(complaints).toEqual([
      { file: 'test.yaml', line: 2, column: 8, path: '', message: 'this [ is not closed by a ]' },
    ]);
  });

  it.each([
    [
      'a brace that is not closed, at the brace',
      rule('on: "*"\n    when: { path: { id: a }\n    times: 1\n    reply: { error: gone }'),
      '4:11 : this { is not closed by a }',
    ],
    [
      'a brace in a list, at the brace',
      'name: a\nrules:\n- { on: x, reply: { error: gone }\n- { on: y }\n',
      '3:3 : this { is not closed by a }',
    ],
    [
      'a brace of JSON, at the brace',
      '{"name": "a",\n "rules": [{"on": "x"]}',
      '2:12 : this { is not closed by a }',
    ],
    ['a quote inside a brace, but not the brace', 'a: { b: "x }\nc: 1\n', '3:1 : Missing closing "quote'],
    [
      'the first error, but not the errors that follow from it',
      'a: b: c\nd: [\ne: f: g\n',
      '1:4 : Nested mappings are not allowed in compact mappings',
    ],
  ])('reports %s', (_, text, expected) => {
    expect(complain(text)).toEqual([expected]);
  });

  it('refuses a duplicate key and unknown tags', () => {
    expect(complain('name: a\nname: b\n')).toEqual(['2:1 : the key name comes twice']);
    expect(complain('name: !secret a\n')).toHaveLength(1);
  });

  it('refuses aliases that expand exponentially', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `  - &l${i + 1} [${`*l${i}, `.repeat(9)}]`);

    const complaints = complain(`name: test\nrules:\n  - &l0 [x]\n${levels.join('\n')}\n`);

    expect(complaints).toEqual([expect.stringContaining('alias')]);
  });

  it('reads JSON and reports the position of an error in it', () => {
    expect(complain('{\n  "name": "test",\n  "rulez": []\n}')).toEqual([
      '3:3 rulez: unknown key rulez; did you mean rules?',
    ]);
  });
});

describe('contract errors of a scenario', () => {
  const gone = 'reply: { error: gone }';

  it.each([
    [
      'an unknown operation',
      rule(`on: UserService_ResendInvit\n    ${gone}`),
      '3:9 rules[0].on: unknown operation UserService_ResendInvit; did you mean UserService_ResendInvite?',
    ],
    [
      'an operation without its service',
      rule(`on: ResendInvite\n    ${gone}`),
      '3:9 rules[0].on: unknown operation ResendInvite; did you mean UserService_ResendInvite?',
    ],
    ...[
      ['CreateOrganisation', 'OrganizationService_CreateOrganization'],
      ['UserService_CreateUser', 'UserService_CreateUserAndMembership'],
      ['UserService_InviteUser', 'UserService_CreateUserAndMembership'],
      ['ListUserss', 'UserService_ListUsers'],
      ['DeleteUsr', 'UserService_DeleteUser'],
    ].map(([given, meant]): [string, string, string] => [
      `the misspelt operation ${given}`,
      rule(`on: ${given}\n    ${gone}`),
      `3:9 rules[0].on: unknown operation ${given}; did you mean ${meant}?`,
    ]),
    [
      'an operation that is not like any other',
      rule(`on: UserService_Frobnicate\n    ${gone}`),
      '3:9 rules[0].on: unknown operation UserService_Frobnicate',
    ],
    [
      'an unknown operation in a list',
      rule(`on: [OAuth_Token, OAuth_Tokn]\n    ${gone}`),
      '3:23 rules[0].on[1]: unknown operation OAuth_Tokn; did you mean OAuth_Token?',
    ],
    [
      'a glob that matches no operation',
      rule(`on: ToolServices_*\n    ${gone}`),
      '3:9 rules[0].on: no operation matches ToolServices_*',
    ],
    [
      'an unknown path',
      rule(`on: { path: '/api/v1/user/{id}' }\n    ${gone}`),
      '3:17 rules[0].on.path: no operation has the path /api/v1/user/{id}; did you mean /api/v1/users/{id}?',
    ],
    [
      'a method that the path does not have',
      rule(`on: { method: PUT, path: /api/v1/users/usr_1 }\n    ${gone}`),
      '3:19 rules[0].on.method: no operation at this path has PUT, only GET, DELETE, PATCH',
    ],
    [
      'an unknown path parameter',
      resend(`when: { path: { organisation_id: org_1 } }\n    ${gone}`),
      '4:21 rules[0].when.path.organisation_id: none of the operations has the path parameter organisation_id; did you mean organization_id?',
    ],
    [
      'an unknown query parameter',
      rule(`on: OrganizationService_ListOrganization\n    when: { query: { pagesize: 1 } }\n    ${gone}`),
      '4:22 rules[0].when.query.pagesize: none of the operations has the query parameter pagesize; did you mean page_size?',
    ],
    [
      'an unknown member of the body',
      rule(`on: ToolService_ExecuteTool\n    when: { body: { toolname: x } }\n    ${gone}`),
      '4:21 rules[0].when.body.toolname: none of the operations has the member toolname; did you mean tool_name?',
    ],
    [
      'an unknown nested member of the body',
      rule(
        `on: ConnectedAccountService_*\n    when: { body: { connected_account: { api_confg: {} } } }\n    ${gone}`,
      ),
      '4:42 rules[0].when.body.connected_account.api_confg: none of the operations has the member api_confg; did you mean api_config?',
    ],
    [
      'a body for an operation without one',
      rule(`on: UserService_GetUser\n    when: { body: { id: x } }\n    ${gone}`),
      '4:21 rules[0].when.body.id: none of the operations has the member id',
    ],
    [
      'an unknown key of a condition',
      resend(`when: { bodi: {} }\n    ${gone}`),
      '4:13 rules[0].when.bodi: unknown key bodi; did you mean body?',
    ],
    [
      'an error that the operation does not declare',
      resend('reply: { error: method_not_allowed }'),
      '4:21 rules[0].reply.error: UserService_ResendInvite: the contract has no answer with status 405, it has 200, 400, 401, 403, 404, 409, 410, 413, 415, 429, 500, 501, 503, 504',
    ],
    [
      'a status that the operation does not declare',
      resend('reply: { status: 418 }'),
      '4:22 rules[0].reply.status: UserService_ResendInvite: the contract has no answer with status 418, it has 200, 400, 401, 403, 404, 409, 410, 413, 415, 429, 500, 501, 503, 504',
    ],
    [
      'a missing body',
      resend('reply: { status: 200 }'),
      '4:22 rules[0].reply.status: UserService_ResendInvite: the contract promises a body with status 200',
    ],
    [
      'a missing body, and the error that has one',
      resend('reply: { status: 429 }'),
      '4:22 rules[0].reply.status: UserService_ResendInvite: the contract promises a body with status 429; `reply: { error: rate_limited }` has one',
    ],
  ])('reports %s with its position', (_, yaml, expected) => {
    const complaints = complain(yaml);

    expect(complaints).toEqual([expected]);
  });

  it('reports how a body breaks the contract, and for which operations', () => {
    const complaints = complain(
      rule('on: ToolService_ExecuteTool\n    reply: { status: 200, body: { data: {} } }'),
    );

    expect(complaints).toEqual([
      expect.stringMatching(/^4:33 rules\[0\]\.reply\.body: ToolService_ExecuteTool: .*execution_id/),
    ]);
  });

  it('names an operation with several addresses once', () => {
    const complaints = complain(rule('on: Scim_DeleteUser\n    reply: { status: 418 }'));

    expect(complaints).toEqual([
      expect.stringMatching(/reply\.status: Scim_DeleteUser: the contract has no/),
    ]);
  });

  it('reports an error once for all operations that share it', () => {
    const complaints = complain(rule('on: "*"\n    reply: { status: 418, body: {} }'));

    // One error for each distinct list of statuses, not one for each of two hundred operations.
    expect(complaints.length).toBeLessThan(16);
    const meant = complaints.map((each) => 1 + Number(/ and (\d+) more: /.exec(each)?.[1] ?? 0));
    expect(meant.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(200);
    expect(complaints.every((each) => each.includes(': the contract has no answer'))).toBe(true);
  });

  it('accepts a reply that breaks the contract when it has `contract: violated`', () => {
    expect(complain(rule('on: "*"\n    reply: { status: 418, body: 7, contract: violated }'))).toEqual([]);
  });
});

describe('errors in the rows of a scenario', () => {
  it.each([
    [
      'an unknown collection',
      'membership: []',
      '3:3 state.membership: unknown collection membership; did you mean memberships?',
    ],
    [
      'an incomplete edit',
      'users: [{ match: { email: a@b.c } }]',
      '3:11 state.users[0]: an edit is `match` with `set`, or `insert`, or `delete: { match: {…} }`',
    ],
    [
      'a delete without match',
      'users: [{ delete: { id: usr_1 } }]',
      '3:23 state.users[0].delete.id: unknown key id; it is written `delete: { match: {…} }`',
    ],
    [
      'an empty delete',
      'users: [{ delete: {} }]',
      '3:21 state.users[0].delete: match is missing; it is written `delete: { match: {…} }`',
    ],
    [
      'a delete that is a string',
      'users: [{ delete: usr_1 }]',
      '3:21 state.users[0].delete: is written `delete: { match: {…} }`',
    ],
    [
      'an edit that is a string',
      'users: [usr_1]',
      '3:11 state.users[0]: an edit is `match` with `set`, or `insert`, or `delete: { match: {…} }`',
    ],
    [
      'an unknown member in `match`',
      'users: [{ delete: { match: { emial: a@b.c } } }]',
      '3:32 state.users[0].delete.match.emial: a row of user has no member emial; did you mean email?',
    ],
    [
      'an unknown member in `set`',
      'memberships: [{ match: {}, set: { status: ACTIVE } }]',
      '3:37 state.memberships[0].set.status: a row of membership has no member status; did you mean membership_status?',
    ],
    [
      'an unknown value',
      'memberships: [{ match: {}, set: { membership_status: INVITE_EXPIRD } }]',
      '3:56 state.memberships[0].set.membership_status: unknown value INVITE_EXPIRD; did you mean INVITE_EXPIRED?',
    ],
    [
      'an invalid time',
      'memberships: [{ match: {}, set: { expires_at: now-1y } }]',
      '3:49 state.memberships[0].set.expires_at: must be a time, such as 2026-03-01T09:00:00Z, now, now-14d or now+1h',
    ],
    [
      'a change of the id',
      'users: [{ match: {}, set: { id: usr_10000000000000001 } }]',
      '3:31 state.users[0].set.id: the id of a row cannot be changed',
    ],
    [
      'missing members of a new row',
      'permissions: [{ insert: { description: b, is_scalekit_permission: false, create_time: now, colour: red } }]',
      "3:27 state.permissions[0].insert: must have required property 'name'",
    ],
    [
      'the deletion of the settings row',
      'settings: [{ delete: { match: {} } }]',
      '3:16 state.settings[0].delete: there must be one row of settings',
    ],
  ])('reports %s with its position', (_, state, expected) => {
    const [complaint, ...others] = complain(`name: test\nstate:\n  ${state}\n`);

    expect(complaint).toBe(expected);
    expect(others.filter((other) => !other.includes('colour'))).toEqual([]);
  });

  it('accepts valid rows', () => {
    const complaints = complain(`name: test
state:
  memberships:
    - match: { organization_id: org_10000000000000002 }
      set: { membership_status: INVITE_EXPIRED, expires_at: now-1d, accepted_at: null }
    - delete: { match: { metadata: { plan: free } } }
  permissions:
    - insert: { name: a, description: b, is_scalekit_permission: false, create_time: now, update_time: now+1h }
`);

    expect(complaints).toEqual([]);
  });
});

describe('ScenarioError', () => {
  it('lists all errors in the order of the text, one per line', () => {
    const yaml = `name: test
clock: { mode: frosen }
state:
  memberships:
    - match: { organisation_id: org_1 }
      set: { membership_status: EXPIRED }
rules:
  - on: UserService_Resend
    reply: { error: rate_limited, mesage: slow }
  - on: ToolService_ExecuteTool
    tms: 2
    when: { body: { tool: x }, query: { a: 1 } }
    reply: { error: tool_eror }
`;

    expect(() => read(yaml)).toThrow(
      [
        'test.yaml:2:16: clock.mode: unknown value frosen; did you mean frozen?',
        'test.yaml:5:16: state.memberships[0].match.organisation_id: a row of membership has no member organisation_id; did you mean organization_id?',
        'test.yaml:6:33: state.memberships[0].set.membership_status: unknown value EXPIRED; did you mean INVITE_EXPIRED?',
        'test.yaml:8:9: rules[0].on: unknown operation UserService_Resend; did you mean UserService_ResendInvite?',
        'test.yaml:9:35: rules[0].reply.mesage: unknown key mesage; did you mean message?',
        'test.yaml:11:5: rules[1].tms: unknown key tms; did you mean times?',
        'test.yaml:12:21: rules[1].when.body.tool: none of the operations has the member tool; did you mean tool_name?',
        'test.yaml:12:41: rules[1].when.query.a: none of the operations has the query parameter a',
        'test.yaml:13:21: rules[1].reply.error: unknown value tool_eror; did you mean tool_error?',
      ].join('\n'),
    );
  });
});

describe('POST /scenarios with an invalid scenario', () => {
  const good = { on: 'UserService_GetUser', reply: { error: 'gone' } };
  const pretty = (value: unknown) => JSON.stringify(value, null, 2);

  async function refused(text: string, type = 'application/json') {
    const { control } = await boot();
    const answer = await control.post('/scenarios').set('content-type', type).send(text).expect(400);
    return answer.body as { message: string; details: { validation_error_info: object }[] };
  }

  it.each([
    [
      'an unknown operation',
      pretty({ name: 'a', rules: [good, { ...good, on: 'UserService_GetUsr' }] }),
      'request body:11:13: rules[1].on: unknown operation UserService_GetUsr; did you mean UserService_GetUser?',
    ],
    [
      'an invalid status',
      pretty({ name: 'a', rules: [{ on: good.on, reply: { status: 999 } }] }),
      'request body:7:19: rules[0].reply.status: must be <= 599',
    ],
    [
      'an unknown collection',
      '{"name":"a","state":{"user":[]}}',
      'request body:1:22: state.user: unknown collection user; did you mean users?',
    ],
    [
      'an unknown member',
      '{"name":"a","state":{"users":[{"match":{"emial":"a"},"set":{"email":"b@c.d"}}]}}',
      'request body:1:41: state.users[0].match.emial: a row of user has no member emial; did you mean email?',
    ],
    [
      'an unknown enum value',
      '{"name":"a","clock":{"mode":"frozn"}}',
      'request body:1:29: clock.mode: unknown value frozn; did you mean frozen?',
    ],
    ['a wrong type', '{"name":"a",\n\t"rules":{}}', 'request body:2:10: rules: must be array'],
    [
      'a duplicate key',
      '{"name":"a",\n "rules":[], "rules":[]}',
      'request body:2:14: the key rules comes twice',
    ],
    [
      'a parameter outside `params`',
      '{"name":"rate-limit-once","params":{"times":2},"retry_after":5}',
      'request body:1:48: retry_after: a parameter of rate-limit-once is written `params: { retry_after: … }`',
    ],
    [
      'an unknown key',
      '{"name":"rate-limit-once","ruls":[]}',
      'request body:1:27: ruls: unknown key ruls; did you mean rules?',
    ],
  ])('responds with the position of %s', async (_, text, expected) => {
    const { message } = await refused(text);

    expect(message).toBe(expected);
  });

  it.each([
    ['a tab', 'name: a\nrules:\n\t- on: x\n', '3:1: indent YAML with spaces, not with tabs'],
    ['a missing end', 'name: a\ndescription: "x\n', '3:1: Missing closing "quote'],
    [
      'a second document',
      'name: a\n---\nname: b\n',
      '2:1: a second YAML document begins here, and only one is read',
    ],
    [
      'a glob without quotes',
      'name: a\nrules:\n  - on: *Service_*\n',
      '3:9: *Service_* is an alias without an anchor; put a text that begins with * in quotes',
    ],
    [
      'a list',
      '- name: a\n',
      '1:1: must be a scenario: its `name`, and `clock`, `state`, `include` or `rules`',
    ],
    ['a duplicate key', 'name: a\nclock: { mode: real }\nclock: {}\n', '3:1: the key clock comes twice'],
  ])('responds with the position when YAML has %s', async (_, text, expected) => {
    const { message } = await refused(text, 'application/yaml');

    expect(message).toBe(`request body:${expected}`);
  });

  it('lists each error in the field violations', async () => {
    const { details } = await refused('{"name":"a","clok":{},"rules":[{"on":"UserService_GetUsr"}]}');

    expect(details[0]!.validation_error_info).toEqual({
      field_violations: [
        {
          field: 'clok',
          description: 'request body:1:13: unknown key clok; did you mean clock?',
          constraint: 'scenario',
        },
        {
          field: 'rules[0]',
          description: expect.stringMatching(/^request body:1:32: a rule needs/) as string,
          constraint: 'scenario',
        },
        {
          field: 'rules[0].on',
          description: expect.stringMatching(
            /^request body:1:38: unknown operation UserService_GetUsr/,
          ) as string,
          constraint: 'scenario',
        },
      ],
    });
  });

  it.each([
    ['its last rule', { rules: [good, { ...good, times: 0 }] }],
    ['its include', { rules: [good], include: ['invite-expird'] }],
    ['a parameter', { rules: [good], params: { wait: { type: 'integer', default: 'x' } } }],
    [
      'its last row',
      { state: { memberships: [FIRST_EDIT, { match: { id: 'mem_1' }, set: { resent_count: 1 } }] } },
    ],
  ])('loads nothing when %s is wrong', async (_, wrong) => {
    const { control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control
      .post('/scenarios')
      .send({ name: 'a', rules: [good] })
      .expect(201);
    const look = async () => {
      const [hash, clock, loaded] = await Promise.all(
        ['/state/hash', '/clock', '/scenarios'].map(
          async (path) => (await control.get(path).expect(200)).body,
        ),
      );
      return { hash, mode: clock.mode, now: clock.now, loaded: loaded.loaded };
    };
    const before = await look();

    await control
      .post('/scenarios')
      .send({
        name: 'a',
        clock: { mode: 'frozen', at: '2031-01-01T00:00:00Z' },
        state: { memberships: [FIRST_EDIT] },
        ...wrong,
      })
      .expect(400);

    expect(await look()).toEqual(before);
  });
});
