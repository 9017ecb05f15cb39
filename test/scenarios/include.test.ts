import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScenarioFolders } from '../../src/scenarios/scenario-files.ts';
import { formatComplaint } from '../../src/scenarios/complaints.ts';
import { ScenarioReader } from '../../src/scenarios/scenario.ts';
import { boot } from '../support/boot.ts';
import { complaintsOf, contract, control, folderWith, makeFolder } from './support.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

const LIST = '/api/v1/organizations';

const failing = (name: string, error: string, more = '') =>
  `name: ${name}\n${more}rules:\n  - on: OrganizationService_ListOrganization\n    times: 1\n    reply: { error: ${error} }\n`;

/** The errors of a file in a folder with these files; file names have no folder. */
function complain(files: Record<string, string>, name = 'a'): string[] {
  const folder = folderWith(files);
  const source = new ScenarioReader({ contract, control }, new ScenarioFolders([], folder));
  const complaints = complaintsOf(() => source.readFile(join(folder, `${name}.yaml`)));
  return complaints.map((each) => formatComplaint(each).replaceAll(`${folder}/`, ''));
}

describe('a scenario with include', () => {
  it('runs the included rules before its own, in order, and lists where each comes from', async () => {
    const files = {
      'a.yaml': failing('a', 'gone', 'include: [b, c]\n'),
      'b.yaml': failing('b', 'unavailable'),
      'c.yaml': failing('c', 'rate_limited', 'include: [d]\n'),
      'd.yaml': failing('d', 'internal'),
    };
    const { api, control } = await boot({ scenarioFolders: [folderWith(files)] });

    await control.post('/scenarios').send({ name: 'a' }).expect(201);

    for (const status of [503, 500, 429, 410, 200]) await api.get(LIST).expect(status);
    const { body } = await control.get('/scenarios').expect(200);
    const rules = body.loaded[0].rules as { from?: string; hits: number }[];
    expect(body.loaded).toHaveLength(1);
    expect(rules.map(({ from, hits }) => [from, hits])).toEqual([
      ['b', 1],
      ['d', 1],
      ['c', 1],
      [undefined, 1],
    ]);
  });

  it('applies its own state edits after the included ones, at its own clock', async () => {
    const { control } = await boot();
    const include = [{ name: 'invite-expired', params: { user_id: 'usr_10000000000000105' } }];
    const base = { name: 'base', include };
    const state = { memberships: [{ match: { organization_id: NORDWIND }, set: { resent_count: 7 } }] };
    const at = '2031-01-02T00:00:00Z';

    await control
      .post('/scenarios')
      .send({ ...base, clock: { mode: 'frozen', at }, state })
      .expect(201);

    const { body } = await control.get('/state/memberships').expect(200);
    const lena = body.rows.find(({ id }: { id: string }) => id === 'mem_10000000000000006');
    expect(lena).toMatchObject({
      membership_status: 'INVITE_EXPIRED',
      expires_at: '2031-01-01T00:00:00.000Z',
      resent_count: 7,
    });
  });

  it('uses the clock of the last included scenario when it has none', async () => {
    const clock = (at: string) => `clock: { mode: frozen, at: ${at} }\n`;
    const files = {
      'b.yaml': `name: b\n${clock('2031-01-01T00:00:00Z')}`,
      'c.yaml': `name: c\n${clock('2032-01-01T00:00:00Z')}`,
    };
    const { control } = await boot({ scenarioFolders: [folderWith(files)] });

    await control
      .post('/scenarios')
      .send({ name: 'a', include: ['b', 'c'] })
      .expect(201);

    const { body } = await control.get('/clock').expect(200);
    expect(body).toMatchObject({ mode: 'frozen', now: '2032-01-01T00:00:00.000Z' });
  });

  it('gives parameter values to included scenarios, also from its own parameters', async () => {
    const throttle = `name: throttle\nparams: { operation: , wait: 1 }\nrules:\n  - on: \${operation}\n    times: 1\n    reply: { error: rate_limited, headers: { retry-after: '\${wait}' } }\n`;
    const { api, control } = await boot({ scenarioFolders: [folderWith({ 'throttle.yaml': throttle })] });
    const include = ['OrganizationService_ListOrganization', 'UserService_ListUsers'].map((operation) => ({
      name: 'throttle',
      params: { operation, wait: '${wait}' },
    }));

    await control
      .post('/scenarios')
      .send({ name: 'both', params: { wait: 9 }, include })
      .expect(201);

    for (const path of [LIST, '/api/v1/users']) {
      const { headers } = await api.get(path).expect(429);
      expect(headers['retry-after']).toBe('9');
      await api.get(path).expect(200);
    }
  });

  it('prefers a file in the same folder, in which the same name means the shipped scenario', async () => {
    const files = {
      'rate-limit-once.yaml': failing('rate-limit-once', 'unavailable', 'include: [rate-limit-once]\n'),
    };
    const { api, control } = await boot({ scenarioFolders: [folderWith(files)] });

    await control
      .post('/scenarios')
      .send({ name: 'a', include: ['rate-limit-once'] })
      .expect(201);

    for (const status of [429, 503, 200]) await api.get(LIST).expect(status);
  });
});

describe('errors in include', () => {
  it.each([
    [
      'an unknown scenario',
      { 'a.yaml': 'name: a\ninclude: [invite-expird]\n', 'invite-expired.yaml': 'name: invite-expired\n' },
      ['a.yaml:2:11: include[0]: unknown scenario invite-expird; did you mean invite-expired?'],
    ],
    [
      'a file path instead of a name',
      { 'a.yaml': 'name: a\ninclude: [../b.yaml]\n' },
      expect.arrayContaining(['a.yaml:2:11: include[0]: must be the name of a scenario']),
    ],
    [
      'a circular include',
      {
        'a.yaml': 'name: a\ninclude: [b]\n',
        'b.yaml': 'name: b\ninclude:\n  - name: c\n',
        'c.yaml': 'name: c\ninclude: [a]\n',
      },
      ['c.yaml:2:11: include[0]: includes itself: a > b > c > a'],
    ],
    [
      'a scenario that includes itself',
      { 'a.yaml': 'name: a\ninclude: [a]\n' },
      ['a.yaml:2:11: include[0]: includes itself: a > a'],
    ],
    [
      'an unknown parameter',
      {
        'a.yaml': 'name: a\ninclude: [{ name: b, params: { wai: 1 } }]\n',
        'b.yaml': 'name: b\ndescription: wait ${wait}\nparams: { wait: 1 }\n',
      },
      ['a.yaml:2:32: include[0].params.wai: scenario b has no parameter wai; did you mean wait?'],
    ],
    [
      'a parameter of another type',
      {
        'a.yaml': 'name: a\ninclude: [{ name: b, params: { wait: soon } }]\n',
        'b.yaml': 'name: b\ndescription: wait ${wait}\nparams: { wait: 1 }\n',
      },
      ['a.yaml:2:38: include[0].params.wait: must be number'],
    ],
    [
      'a parameter value that is invalid where it is used',
      {
        'a.yaml': 'name: a\ninclude: [{ name: b, params: { operation: UserService_GetUsr } }]\n',
        'b.yaml': `name: b\nparams: { operation: }\nrules:\n  - on: \${operation}\n    reply: { error: gone }\n`,
      },
      [
        'a.yaml:2:43: include[0].params.operation: unknown operation UserService_GetUsr; did you mean UserService_GetUser? (used in line 4 of b.yaml, as rules[0].on)',
      ],
    ],
    [
      'a parameter value and a default that are passed on',
      {
        'a.yaml': 'name: a\ninclude: [{ name: b, params: { often: 0 } }]\n',
        'b.yaml':
          "name: b\nparams: { often: 1, wait: 7 }\ninclude:\n  - { name: c, params: { times: '${often}', delay: '${wait}' } }\n",
        'c.yaml': `name: c\nparams: { times: , delay: }\nrules:\n  - on: '*'\n    times: \${times}\n    fault: { delay: '\${delay}' }\n`,
      },
      [
        'a.yaml:2:39: include[0].params.often: must be >= 1 (used in line 5 of c.yaml, as rules[0].times) (used in line 4 of b.yaml, as include[0].params.times)',
        'b.yaml:4:52: include[0].params.delay: must be a duration such as 300ms, 5s or 25h (used in line 6 of c.yaml, as rules[0].fault.delay) (the parameter wait)',
      ],
    ],
    [
      'a missing parameter',
      {
        'a.yaml': 'name: a\ninclude: [b]\n',
        'b.yaml': 'name: b\ndescription: wait ${wait}\nparams: { wait: }\n',
      },
      ['a.yaml:2:11: include[0]: scenario b needs the parameter wait'],
    ],
    [
      'a syntax error',
      { 'a.yaml': 'name: a\nruls: []\ninclude: [b]\n', 'b.yaml': 'name: b\nname: b\n' },
      ['a.yaml:2:1: ruls: unknown key ruls; did you mean rules?', 'b.yaml:2:1: the key name comes twice'],
    ],
  ])('report %s with file and position', (_, files, expected) => {
    expect(complain(files as Record<string, string>)).toEqual(expected);
  });

  it('report file and position in an included file, after the errors of the including file', () => {
    const complaints = complain({
      'a.yaml': 'name: a\ninclude: [b]\nrules:\n  - on: UserService_GetUsr\n    reply: { error: gone }\n',
      'b.yaml': 'name: b\nrules:\n  - on: ToolService_ExecutTool\n    reply: { error: gon }\n',
    });

    expect(complaints).toEqual([
      'a.yaml:4:9: rules[0].on: unknown operation UserService_GetUsr; did you mean UserService_GetUser?',
      'b.yaml:3:9: rules[0].on: unknown operation ToolService_ExecutTool; did you mean ToolService_ExecuteTool?',
      'b.yaml:4:21: rules[0].reply.error: unknown value gon; did you mean gone?',
    ]);
  });

  it('stop includes that expand to thousands of scenarios', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const files = names.map((name, index) => {
      const next = names[index + 1];
      return [
        `${name}.yaml`,
        `name: ${name}\n${next ? `include: [${next}, ${next}, ${next}, ${next}]\n` : ''}`,
      ];
    });

    const complaints = complain(Object.fromEntries(files));

    expect(complaints).toEqual([expect.stringMatching(/more than 100 scenarios are included$/)]);
  });

  it('leave state and clock unchanged when an included file is invalid', async () => {
    const files = {
      'bad.yaml': 'name: bad\nrules:\n  - on: UserService_GetUser\n    reply: { error: gon }\n',
    };
    const { control } = await boot({ scenarioFolders: [folderWith(files)] });
    const before = await control.get('/state/hash').expect(200);

    const { body } = await control
      .post('/scenarios')
      .send({ name: 'a', include: ['invite-expired', 'bad'], clock: { mode: 'frozen' } })
      .expect(400);

    expect(body.message).toMatch(/bad\.yaml:4:21: rules\[0\]\.reply\.error: unknown value gon/);
    expect((await control.get('/state/hash')).body).toEqual(before.body);
    expect((await control.get('/clock')).body.mode).toBe('real');
  });
});

describe('scenario folders', () => {
  it('take precedence over later folders and shipped scenarios, and are listed', async () => {
    const [first, second] = [
      folderWith({
        'own.yaml': failing('own', 'gone'),
        'rate-limit-once.yaml': failing('rate-limit-once', 'gone'),
      }),
      folderWith({ 'own.yaml': failing('own', 'internal'), 'more.json': '{"name": "more"}' }),
    ];
    const { api, control } = await boot({ scenarioFolders: [first, second] });

    await control.post('/scenarios').send({ name: 'own' }).expect(201);
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);

    await api.get(LIST).expect(410);
    await api.get(LIST).expect(410);
    await api.get(LIST).expect(200);
    const { body } = await control.get('/scenarios').expect(200);
    const files = new Map(body.available.map(({ name, file }: Record<string, string>) => [name, file]));
    expect(files.get('own')).toBe(join(first, 'own.yaml'));
    expect(files.get('more')).toBe(join(second, 'more.json'));
    expect(files.get('rate-limit-once')).toBe(join(first, 'rate-limit-once.yaml'));
    expect(files.get('invite-expired')).toMatch(/scenarios.invite-expired\.yaml$/);
  });

  it('must exist', async () => {
    const folder = join(makeFolder(), 'nowhere');

    await expect(boot({ scenarioFolders: [folder] })).rejects.toThrow(
      `--scenarios ${folder}: no such folder`,
    );
  });

  it('are optional for a file that is loaded at the start', async () => {
    const folder = makeFolder();
    const file = join(folder, 'own.yaml');
    writeFileSync(file, failing('own', 'gone', 'include: [beside]\n'));
    writeFileSync(join(folder, 'beside.yaml'), failing('beside', 'internal'));

    const { api, control } = await boot({ scenarios: [file] });

    await api.get(LIST).expect(500);
    await api.get(LIST).expect(410);
    await control.post('/reset').expect(204);
    await api.get(LIST).expect(500);
    await control.post('/scenarios').send({ name: file }).expect(404);
  });
});
