import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lintScenarios } from '../../src/scenarios/lint.ts';
import { parseReference, splitReferences } from '../../src/scenarios/path.ts';
import { formatComplaint } from '../../src/scenarios/complaints.ts';
import { ScenarioText } from '../../src/scenarios/scenario-text.ts';
import { boot } from '../support/boot.ts';
import { complain, complaintsOf, folderWith, read, reader } from './support.ts';

const THROTTLE = `name: throttle
description: \${operation} is throttled \${times} times.
params:
  operation: OrganizationService_ListOrganization
  times: { type: integer, default: 1, description: How often. }
  retry_after: { type: integer, optional: true }
rules:
  - on: \${operation}
    times: \${times}
    reply:
      error: rate_limited
      message: wait for $\${x} and \${times}
      headers: { retry-after: '\${retry_after}', x-scenario: 'times=\${times}' }
`;

/** The reply body of a scenario with these params, after placeholders are filled in. */
const bodyOf = (params: string, body: string): unknown => {
  const head = `name: test\nparams:\n${params.replace(/^/gm, '  ')}\nrules:\n`;
  const rule = `  - on: OrganizationService_ListOrganization\n    reply: { status: 200, contract: violated, body: ${body} }\n`;
  const { reply } = read(head + rule).rules[0]!.effects;
  return reply && 'body' in reply ? reply.body : undefined;
};

describe('a placeholder', () => {
  it.each([
    ['a text', 'x: abc', "'${x}'", 'abc'],
    ['a number', 'x: 7', "'${x}'", 7],
    ['a boolean', 'x: false', "'${x}'", false],
    ['a list', 'x: [1, 2]', "['${x}']", [[1, 2]]],
    ['an object', 'x: { default: { a: 1 } }', "{ b: '${x}' }", { b: { a: 1 } }],
    ['with blanks around its name', 'x: 7', "'${ x }'", 7],
  ])('that is the whole value becomes %s', (_, params, body, expected) => {
    expect(bodyOf(params, body)).toEqual(expected);
  });

  it.each([
    ['x: abc', "'a ${x}, ${x}'", 'a abc, abc'],
    ['x: 7', "'${x}%'", '7%'],
    ['x: true', "'is ${x}'", 'is true'],
    ['x: 7', "'$${x} is ${x}'", '${x} is 7'],
    ['x: 7', "'$$ $x {x} ${x}'", '$$ $x {x} 7'],
    ['x: $${y}', "'${x}'", '$${y}'],
  ])('inside a text becomes text: with %s, %s', (params, body, expected) => {
    expect(bodyOf(params, body)).toBe(expected);
  });

  it('is replaced by any text without interpreting it', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(bodyOf(`x: ${JSON.stringify(text)}`, "['${x}', '<${x}>']")).toEqual([text, `<${text}>`]);
      }),
    );
  });

  it('of an optional parameter without a value removes its member', () => {
    expect(bodyOf('x: { optional: true }', "{ a: '${x}', b: { c: '${x}' }, d: 1 }")).toEqual({ b: {}, d: 1 });
  });
});

describe('errors in parameters', () => {
  const text = (params: string, rest: string) => `name: test\nparams: ${params}\ndescription: ${rest}\n`;

  it.each([
    [
      'an unknown placeholder',
      text('{ retry_after: 2 }', '${retry_afte} ${retry_after}'),
      '3:14 description: unknown placeholder ${retry_afte}; did you mean retry_after?',
    ],
    [
      'a placeholder where there are no parameters',
      'name: test\ndescription: ${x}\n',
      '2:14 description: unknown placeholder ${x}; the scenario has no params',
    ],
    [
      'a placeholder without an end',
      text('{ x: 1 }', '${x} and ${x'),
      '3:14 description: write a placeholder as ${name}, and the text ${ as $${',
    ],
    ['an unused parameter', text('{ x: a, y: 2 }', '${x}'), '2:17 params.y: nothing uses it; ${y} would'],
    [
      'an invalid parameter name',
      text('{ a-b: 1 }', 'none'),
      '2:11 params.a-b: a-b is not the name of a parameter',
    ],
    [
      'an unknown key of a parameter',
      text('{ x: { defalt: 1, default: a } }', '${x}'),
      '2:16 params.x.defalt: unknown key defalt; did you mean default?',
    ],
    [
      'a default of another type',
      text('{ x: { type: integer, default: soon } }', '${x}'),
      '2:40 params.x.default: must be integer',
    ],
    [
      'a default that is not in `enum`',
      text('{ x: { enum: [open, closed], default: close } }', '${x}'),
      '2:47 params.x.default: unknown value close; did you mean closed?',
    ],
    [
      'an unknown type',
      text('{ x: { type: integr, default: 1 } }', 'a ${x}'),
      '2:22 params.x.type: unknown value integr; did you mean integer?',
    ],
    [
      'an `enum` that is not a list',
      text('{ x: { enum: 5, default: 1 } }', 'a ${x}'),
      '2:22 params.x.enum: must be array',
    ],
    [
      'a list inside a text',
      text('{ x: [1] }', 'a ${x}'),
      "3:14 description: the parameter x is an array, and can't stand inside a text",
    ],
    [
      'an optional parameter inside a text',
      text('{ x: { optional: true } }', 'a ${x}'),
      "3:14 description: the parameter x has no value, and can't stand inside a text",
    ],
    [
      'a parameter without a default that cannot be given',
      text('{ x: { description: the user } }', '${x}'),
      '2:9 params: the scenario needs the parameter x: the user',
    ],
    [
      'a placeholder that YAML cannot read',
      'name: test\nparams: { x: 1 }\nrules: [{ on: ${x} }]\n',
      '3:16 : put a placeholder between { } or [ ] in quotes',
    ],
  ])('report %s with its position', (_, yaml, expected) => {
    expect(complain(yaml)).toEqual([expected]);
  });

  it('report an invalid value at the position of its placeholder', () => {
    const yaml = `name: test\nparams: { operation: UserService_GetUsr }\nrules:\n  - on: \${operation}\n    reply: { error: gone }\n`;

    expect(complain(yaml)).toEqual([
      '4:9 rules[0].on: unknown operation UserService_GetUsr; did you mean UserService_GetUser? (the parameter operation)',
    ]);
  });
});

describe('a scenario file with parameters', () => {
  const booted = () => boot({ scenarioFolders: [folderWith({ 'throttle.yaml': THROTTLE })] });
  const list = '/api/v1/organizations';

  it('uses its defaults when it is loaded by name', async () => {
    const { api, control } = await booted();

    await control.post('/scenarios').send({ name: 'throttle' }).expect(201);

    const { body, headers } = await api.get(list).expect(429);
    expect(body.message).toBe('wait for ${x} and 1');
    expect(headers).not.toHaveProperty('retry-after');
    await api.get(list).expect(200);
  });

  it('uses the values that are sent with its name, in JSON and YAML', async () => {
    const { api, control } = await booted();

    const params = { operation: 'UserService_ListUsers', times: 2, retry_after: 7 };
    await control.post('/scenarios').send({ name: 'throttle', params }).expect(201);

    await api.get(list).expect(200);
    const first = await api.get('/api/v1/users').expect(429);
    expect(first.headers).toMatchObject({ 'retry-after': '7', 'x-scenario': 'times=2' });
    await api.get('/api/v1/users').expect(429);
    await api.get('/api/v1/users').expect(200);
    const yaml = 'name: throttle\nparams: { times: 1 }\n';
    await control.post('/scenarios').set('content-type', 'application/yaml').send(yaml).expect(201);
    await api.get(list).expect(429);
  });

  it('is listed with its parameters, and loaded with their values', async () => {
    const { control } = await booted();
    await control
      .post('/scenarios')
      .send({ name: 'throttle', params: { times: 3 } })
      .expect(201);

    const { body } = await control.get('/scenarios').expect(200);

    const listed = body.available.find(({ name }: { name: string }) => name === 'throttle');
    expect(listed).toEqual({
      name: 'throttle',
      description: 'OrganizationService_ListOrganization is throttled 1 times.',
      params: {
        operation: { type: 'string', default: 'OrganizationService_ListOrganization', required: false },
        times: { type: 'integer', default: 1, description: 'How often.', required: false },
        retry_after: { type: 'integer', required: false },
      },
      file: expect.stringMatching(/throttle\.yaml$/),
      on: ['OrganizationService_ListOrganization'],
    });
    expect(body.loaded).toMatchObject([
      { name: 'throttle', params: { operation: 'OrganizationService_ListOrganization', times: 3 } },
    ]);
  });

  it.each([
    [
      'an unknown parameter',
      '{"name": "throttle",\n "params": {"time": 1}}',
      'params.time: scenario throttle has no parameter time; did you mean times?',
    ],
    [
      'a parameter of another type',
      '{"name": "throttle", "params": {"times": "2"}}',
      'params.times: must be integer',
    ],
    ['`params` that is not an object', '{"name": "throttle", "params": [1]}', 'params: must be object'],
    [
      'a duplicate parameter',
      '{"name": "throttle", "params": {"times": 1, "times": 2}}',
      'request body:1:45: the key times comes twice',
    ],
    [
      'a value that is invalid where it is used',
      '{"name": "throttle", "params": {"operation": "Usr_*"}}',
      'params.operation: no operation matches Usr_* (used in line 8 of throttle.yaml, as rules[0].on)',
    ],
    [
      'a misspelt operation in a scenario that comes with Understudy',
      '{"name": "internal-error", "params": {"operation": "CreateOrganisation"}}',
      'params.operation: unknown operation CreateOrganisation; did you mean OrganizationService_CreateOrganization? (used in line 8 of internal-error.yaml, as rules[0].on)',
    ],
  ])('refuses %s and says where', async (_, text, message) => {
    const { control } = await booted();

    const { body } = await control.post('/scenarios').type('json').send(text).expect(400);

    expect(body.message).toBe(message);
  });

  it('takes values in a new environment, and the error names the wrong scenario', async () => {
    const { environment, control } = await booted();
    const scenarios = [
      'invite-expired',
      { name: 'throttle', params: { operation: 'UserService_ListUsers' } },
    ];

    const worker = await environment('worker', { scenarios });
    const wrong = await control
      .post('/environments')
      .send({ name: 'other', scenarios: ['throttle', { name: 'throttle', params: { tims: 1 } }] })
      .expect(400);

    await worker.api.get('/api/v1/users').expect(429);
    expect(wrong.body.message).toContain('scenarios[1].params.tims: scenario throttle has no parameter tims');
    await control.get('/environments/other').expect(404);
  });

  it('can be written inline for a new environment', async () => {
    const { environment } = await booted();
    const rule = { on: 'UserService_ListUsers', reply: { error: 'unavailable' } };

    const { api } = await environment('worker', { scenarios: [{ name: 'own', rules: [rule] }] });

    await api.get('/api/v1/users').expect(503);
  });

  it('requires a value for a parameter without a default', async () => {
    const yaml =
      'name: gone\nparams: { operation: }\nrules: [{ on: "${operation}", reply: { error: gone } }]\n';
    const { api, control } = await boot({ scenarioFolders: [folderWith({ 'gone.yaml': yaml })] });

    const { body } = await control.post('/scenarios').send({ name: 'gone' }).expect(400);
    const params = { operation: 'UserService_ListUsers' };
    await control.post('/scenarios').send({ name: 'gone', params }).expect(201);

    expect(body.message).toContain('scenario gone needs the parameter operation');
    await api.get('/api/v1/users').expect(410);
  });
});

describe('parameter values on the command line', () => {
  it('follow the name and are converted to the type of the parameter', async () => {
    const scenarioFolders = [folderWith({ 'throttle.yaml': THROTTLE })];
    const scenarios = ['throttle,operation=UserService_ListUsers,times=2,retry_after=', 'invite-expired'];

    const { control } = await boot({ scenarioFolders, scenarios });

    const { body } = await control.get('/scenarios').expect(200);
    expect(body.loaded).toMatchObject([
      { name: 'throttle', params: { operation: 'UserService_ListUsers', times: 2 } },
      { name: 'invite-expired' },
    ]);
    expect(body.loaded[0].params).not.toHaveProperty('retry_after');
  });

  it.each([
    ['throttle,times=often', '--scenario throttle,times=often: params.times: must be integer'],
    ['throttle,tims=1', 'scenario throttle has no parameter tims; did you mean times?'],
    ['throtle', 'scenario throtle not found; did you mean throttle?'],
  ])('are refused before the start: %s', async (reference, message) => {
    const scenarioFolders = [folderWith({ 'throttle.yaml': THROTTLE })];

    await expect(boot({ scenarioFolders, scenarios: [reference] })).rejects.toThrow(message);
  });

  it.each([
    ['a,b', ['a', 'b']],
    ['a,x=1,y=2,b', ['a,x=1,y=2', 'b']],
    ['./a=b.yaml', ['./a=b.yaml']],
    ['a,x=1\\,2,b', ['a,x=1\\,2', 'b']],
  ])('are separated from further scenarios: %s', (text, expected) => {
    expect(splitReferences(text)).toEqual(expected);
  });

  it('may contain a comma and an equals sign', () => {
    expect(parseReference('a,x=1\\,2,y=b=c,z=')).toEqual({
      name: 'a',
      params: { x: '1,2', y: 'b=c', z: '' },
    });
  });
});

describe('lint of a scenario whose parameters have no values', () => {
  const lint = (yaml: string) => {
    const file = join(folderWith({ 'test.yaml': yaml }), 'test.yaml');
    return lintScenarios([file], reader).flatMap(({ complaints }) =>
      complaints.map((complaint) => formatComplaint({ ...complaint, file: 'test.yaml' })),
    );
  };

  it('skips what depends on the values and reports all other errors', () => {
    const complaints = lint(`name: test
params: { operation: , times: , user: , code: }
state:
  users:
    - match: { id: '\${user}', emial: a@b.c }
      set: { external_id: '\${user}', email: 7 }
rules:
  - on: \${operation}
    times: \${times}
    reply: { error: '\${code}' }
  - on: UserService_GetUsr
    after: \${times}
    reply: { status: 200, body: { user: { id: '\${user}' } }, headers: { x-user: '\${usr}' } }
`);

    expect(complaints).toEqual([
      'test.yaml:5:31: state.users[0].match.emial: a row of user has no member emial; did you mean email?',
      'test.yaml:6:45: state.users[0].set.email: must be string',
      'test.yaml:11:9: rules[1].on: unknown operation UserService_GetUsr; did you mean UserService_GetUser?',
      'test.yaml:13:81: rules[1].reply.headers.x-user: unknown placeholder ${usr}; did you mean user?',
    ]);
  });
});

describe('ScenarioText', () => {
  it('reads JSON that is indented with tabs and has escapes', () => {
    const value = { name: 'a', rules: [{ text: 'tab\t, quote ", snow ☃, smile 😀' }] };

    expect(new ScenarioText(JSON.stringify(value, null, '\t'), 'a').value).toEqual(value);
    expect(new ScenarioText('{"a":"\\ud83d\\ude00"}', 'a').value).toEqual({ a: '😀' });
  });

  it('reads any JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.stringify(new ScenarioText(json, 'a').value)).toEqual(JSON.stringify(JSON.parse(json)));
      }),
    );
  });

  it('refuses a text that is nested too deeply', () => {
    for (const depth of [500, 1000, 2000, 5000, 20_000])
      expect(complaintsOf(() => new ScenarioText('['.repeat(depth), 'a'))).toHaveLength(1);
    expect(complaintsOf(() => new ScenarioText(`${'['.repeat(5000)}${']'.repeat(5000)}`, 'a'))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('nested') }),
    ]);
  });
});
