import { describe, expect, it } from 'vitest';
import { ScenarioError } from '../../src/scenarios/complaints.ts';
import { boot } from '../support/boot.ts';
import { complain, complaintsOf, folderWith, read, reader } from './support.ts';

const messageOf = (text: string) => {
  try {
    read(text);
    return '';
  } catch (thrown) {
    if (thrown instanceof ScenarioError) return thrown.message;
    throw thrown;
  }
};

const rules = (count: number, rule: string) =>
  `{"name":"test","rules":[${Array.from({ length: count }, () => rule).join(',')}]}`;

describe('scenario errors', () => {
  it('are listed up to fifty, followed by the number of further errors', () => {
    const lines = messageOf(rules(60, '1')).split('\n');

    expect(lines).toHaveLength(51);
    expect(lines[0]).toContain('rules[0]');
    expect(lines.at(-1)).toBe('and 10 more complaints');
  });

  it('are no longer collected after a thousand', () => {
    const lines = messageOf(rules(5000, '1')).split('\n');

    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toMatch(/^and at least 9\d\d more complaints$/);
  });

  it('are limited in the control API too, in the message and in the field violations', async () => {
    const { control } = await boot();

    const { body } = await control.post('/scenarios').type('json').send(rules(60, '1')).expect(400);

    expect(body.message.split('\n').at(-1)).toBe('and 10 more complaints');
    const { field_violations: violations } = body.details[0].validation_error_info;
    expect(violations).toHaveLength(51);
    expect(violations.at(-1)).toEqual({
      field: '',
      description: 'and 10 more complaints',
      constraint: 'scenario',
    });
  });

  const LONG = 'x'.repeat(300_000);

  it.each([
    ['a key', { [LONG]: 1 }],
    [
      'a key, to which the path leads',
      { rules: [{ on: '*', reply: { status: 200, headers: { [LONG]: {} } } }] },
    ],
    [
      'a parameter of an operation',
      { rules: [{ on: 'UserService_GetUser', when: { query: { [LONG]: 1 } }, fault: { delay: '1s' } }] },
    ],
    [
      'a member of a body',
      { rules: [{ on: 'UserService_UpdateUser', when: { body: { [LONG]: 1 } }, fault: { delay: '1s' } }] },
    ],
    [
      'an operator',
      {
        rules: [
          {
            on: 'ToolService_ExecuteTool',
            when: { body: { tool_name: { [LONG]: 1 } } },
            fault: { delay: '1s' },
          },
        ],
      },
    ],
    ['a placeholder', { rules: [{ on: '*', reply: { error: 'gone', message: `\${${LONG}}` } }] }],
    [
      'a parameter',
      { params: { a: { type: 'string' } }, clock: { mode: 'frozen', at: `\${params.${LONG}}` } },
    ],
    ['an included scenario', { include: [LONG] }],
    ['a row', { state: { organizations: [{ match: { id: LONG }, set: { [LONG]: 1 } }] } }],
    ['the name of a collection', { state: { [LONG]: [] } }],
  ])('name the beginning of %s that is long, and stay short', async (_, parts) => {
    const { control } = await boot();

    const { text } = await control
      .post('/scenarios')
      .send({ name: 'test', ...parts })
      .expect(400);

    expect(text).toContain('xxxx');
    expect(text.length).toBeLessThan(20_000);
  });

  it('of a scenario that is included twice are listed once', () => {
    const folder = folderWith({
      'nameless.yaml': 'rules: []\n',
      'twice.yaml': 'name: twice\ninclude: [nameless, nameless]\n',
    });

    const complaints = complaintsOf(() => reader.readFile(`${folder}/twice.yaml`));

    expect(complaints.map(({ message }) => message)).toEqual(['name is missing']);
  });

  it.each(['name:\nrules: []\n', 'name: 5\n', 'name: x y\n'])('of the name in %j are listed once', (text) => {
    const folder = folderWith({ 'test.yaml': text });

    expect(complaintsOf(() => reader.readFile(`${folder}/test.yaml`))).toHaveLength(1);
  });
});

describe('a scenario in JSON', () => {
  it('has the same positions as in YAML', () => {
    const text = '{\n  "name": "test",\n  "rules": [{ "on": "*" }, { "onn": 1 }]\n}';

    expect(complain(text)).toEqual([
      '3:13 rules[0]: a rule needs `do`, `reply`, `patch`, `fault` or `deliver`',
      '3:28 rules[1]: a rule needs `do`, `reply`, `patch`, `fault` or `deliver`',
      '3:28 rules[1]: on is missing',
      '3:30 rules[1].onn: unknown key onn; did you mean on?',
    ]);
  });

  it('must not repeat a key', () => {
    expect(complain('{"name":"test","rules":[],\n"na\\u006de":"b"}')).toEqual([
      '2:1 : the key name comes twice',
    ]);
  });
});

describe('a YAML scenario is refused before it is parsed in full', () => {
  it.each([
    [
      'aliases',
      `name: test\na: &a 1\nb: [${'*a,'.repeat(1000)}]\n`,
      '3:3002 : has more than 1000 anchors, aliases and directives',
    ],
    ['brackets', `name: test\nb: ${'['.repeat(200)}\n`, '2:104 : is nested deeper than 100 levels'],
    ['dashes', '- '.repeat(200), '1:201 : is nested deeper than 100 levels'],
  ])('when it has too many %s', (_what, text, expected) => {
    expect(complain(text)).toEqual([expected]);
  });

  it('when it has too many tokens', () => {
    expect(complain(`name: test\nrules:\n${'- 1\n'.repeat(30_000)}`)).toEqual([
      expect.stringMatching(/^\d+:\d+ : is too long to be read as YAML: it has more than 80000 tokens/),
    ]);
  });

  it('when it repeats a key, at any depth', () => {
    expect(complain('name: test\nrules:\n  - { on: "*", on: b }\n"name": c\n')).toEqual([
      '3:16 : the key on comes twice',
      '4:1 : the key name comes twice',
    ]);
  });
});

describe('large requests', () => {
  it('with a thousand rules load', async () => {
    const { control } = await boot();
    const rule = (i: number) =>
      `{"on":"UserService_ListUsers","times":1,"when":{"headers":{"x":"${i}"}},"reply":{"error":"gone"}}`;
    const text = `{"name":"many","rules":[${Array.from({ length: 1000 }, (_, i) => rule(i)).join(',')}]}`;

    await control.post('/scenarios').type('json').send(text).expect(201);

    const { body } = await control.get('/scenarios/many').expect(200);
    expect(body.rules).toHaveLength(1000);
  });

  it('do not block other calls while they are read', async () => {
    const { control } = await boot();
    const text = rules(5000, '{"on":"*","fault":{"garbage":true}}').replace('"test"', '"large"');
    const answered: string[] = [];
    const loading = control
      .post('/scenarios')
      .type('json')
      .send(text)
      .then(() => answered.push('loaded'));

    while (answered.length === 0) {
      await control.get('/health').expect(200);
      if (answered.length === 0) break;
    }
    answered.push('health');
    await loading;

    expect(answered).toEqual(['health', 'loaded']);
  });

  it.each([
    [
      'an object with too many members',
      '/api/v1/organizations',
      `{${Array.from({ length: 10_001 }, (_, i) => `"n${i}":1`).join(',')}}`,
      'application/json',
      'the request body has an object with more than 10000 members',
    ],
    [
      'a list that is nested too deeply',
      '/api/v1/organizations',
      `${'['.repeat(101)}${']'.repeat(101)}`,
      'application/json',
      'the request body is nested deeper than 100 levels',
    ],
  ])('are refused: %s', async (_what, path, body, type, message) => {
    const { api } = await boot();

    const refused = await api.post(path).type(type).send(body).expect(400);

    expect(refused.body.message).toBe(message);
  });

  it('are refused: a form', async () => {
    const { anonymous } = await boot();
    const form = Array.from({ length: 10_001 }, (_, i) => `n${i}=1`).join('&');

    const refused = await anonymous.post('/oauth/token').type('form').send(form).expect(400);

    expect(refused.body.error_description).toBe('the request body has more than 10000 fields');
  });
});

describe('a glob', () => {
  it.each([
    ['/requests?path=', 200],
    ['/requests?operation=', 200],
    ['/webhooks/deliveries?type=', 200],
    ['/webhooks/deliveries?endpoint=', 2000],
    ['/outgoing?url=', 2000],
    ['/mail?to=', 400],
  ])('of %s has at most this many characters: %i', async (path, most) => {
    const { control } = await boot();

    const { body } = await control.get(path + 'a'.repeat(most + 1)).expect(400);

    expect(body.details[0].validation_error_info.field_violations).toMatchObject([
      { description: `value length must be at most ${most} characters` },
    ]);
  });

  it('of a rule has at most 200 characters', () => {
    expect(
      complain(`name: test\nrules:\n  - { on: ${'a'.repeat(201)}, fault: { garbage: true } }\n`),
    ).toEqual(['3:11 rules[0].on: must have at most 200 characters']);
  });
});

describe('the work of matching one call', () => {
  it.each([
    [1, 5000, 'not compared: a text of the call is too long for the expression'],
    [5, 300, 'not compared: earlier rules used up the time that a call may take'],
  ])(
    'has a limit: a rule beyond it does not apply, and the journal says why',
    async (count, length, reason) => {
      const { api, control } = await boot();
      const conditions = Array.from({ length: count }, (_, i) => ({
        on: 'ToolService_ExecuteTool',
        when: { body: { params: { text: { regex: `^[ab]*a[ab]{900}${i < count - 1 ? '[cd]' : ''}` } } } },
        reply: { error: 'gone' },
      }));
      await control.post('/scenarios').send({ name: 'test', rules: conditions }).expect(201);

      await api
        .post('/api/v1/execute_tool')
        .send({ tool_name: 'x', params: { text: 'ab'.repeat(length) } })
        .expect(404);

      const { body } = await control.get('/requests?limit=1').expect(200);
      expect(body.requests[0].scenario.considered.at(-1).reason).toBe(reason);
    },
  );
});

describe('the regular expressions of one scenario', () => {
  const load = async (count: number) => {
    const { control } = await boot();
    const rules = Array.from({ length: count }, (_, i) => ({
      on: '*',
      when: { headers: { 'x-large': { regex: `${i}a{1000}` } } },
      reply: { error: 'gone' },
    }));
    return control.post('/scenarios').send({ name: 'test', rules });
  };

  it('can be some that are large', async () => {
    expect((await load(20)).status).toBe(201);
  });

  it('are refused when all of them together take long to compile', async () => {
    const { status, body } = await load(400);

    expect(status).toBe(400);
    expect(body.message).toContain(
      'makes the regular expressions of this call too costly to compile: over 500000 steps',
    );
  });
});
