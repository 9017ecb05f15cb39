import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { longestTurn, turnTimes } from '../support/longest-turn.ts';
import { nextTurn } from '../../src/scenarios/steps.ts';
import { timelineOf } from '../../src/state/timeline.ts';
import { copyOf, multiply, servedDuring } from '../support/turns.ts';

const ROWS = 20_000;

async function withManySessions(size = 3000): Promise<Booted> {
  const booted = await boot();
  multiply(booted, 'sessions', ROWS, (n) => ({ label: `session ${n} ${'x'.repeat(size)}` }));
  return booted;
}

describe('A call that reads every row', () => {
  it.each(['/state/hash', '/state/sessions?contains=nowhere%20to%20be%20found'])(
    'lets other calls be answered meanwhile: %s',
    async (path) => {
      const booted = await withManySessions();

      expect(await servedDuring(booted, booted.control.get(path).expect(200))).toBeGreaterThan(2);
    },
  );

  // The service keeps the latest search, so the second one must be another.
  it.each([
    ['all rows', '/state', '/state'],
    ['a text in rows', '/state/sessions?contains=no+such+text', '/state/sessions?contains=no+other+text'],
    ['the timeline', '/clock/timeline?limit=1', '/clock/timeline?limit=1'],
  ])('has short turns: %s', async (_, first, second) => {
    const { control } = await withManySessions(300);
    // The test does not parse the answer, because that would take the longest turn of all.
    await control.get(first).buffer(false).expect(200);

    const { longest, all } = await turnTimes(() => control.get(second).buffer(false).expect(200));

    expect(longest).toBeLessThan(all / 2);
  });

  it('can be interrupted at each row of the timeline', async () => {
    const { own } = await withManySessions();
    const reading = timelineOf(own.tables, own.clock.now(), 10);
    let steps = 0;
    while (!reading.next().done) steps += 1;

    expect(steps).toBeGreaterThan(ROWS);
  });

  it('hashes one moment, whatever is written meanwhile', async () => {
    const booted = await withManySessions();
    const hashed = async () => (await booted.control.get('/state/hash').expect(200)).body.hash as string;
    const before = await hashed();

    const meanwhile = hashed();
    const organization = { id: 'org_10000000000000077', display_name: 'Late' };
    const [hash] = await Promise.all([
      meanwhile,
      booted.control.put(`/state/organizations/${organization.id}`).send(organization).expect(200),
    ]);

    expect([before, await hashed()]).toContain(hash);
    expect(await hashed()).not.toBe(before);
  });
});

describe('A long list of rows', () => {
  it('is written piece by piece', async () => {
    const { control } = await withManySessions();

    const { body: page } = await control.get('/state/sessions?limit=2&offset=1500').expect(200);

    const { body, headers } = await control.get('/state/sessions').expect(200);

    expect(headers['content-length']).toBeUndefined();
    expect(body.rows).toHaveLength(page.total);
    expect(body.total).toBe(page.total);
    expect(body.rows.slice(1500, 1502)).toEqual(page.rows);
  });
});

describe('The dependents of a row', () => {
  it('are those of one moment, whatever is written meanwhile', async () => {
    const booted = await withManySessions();
    const path = '/state/organizations/org_10000000000000001';

    const [{ status, body }] = await Promise.all([
      booted.control.get(`${path}/dependents`),
      booted.control.delete(path).expect(204),
    ]);

    // The deletion may have come first.
    if (status !== 404) expect(body.changed.length).toBeGreaterThan(ROWS);
  });

  it('are found in turns with other calls', async () => {
    const { own } = await withManySessions();
    let [isFound, turns] = [false, 0];

    void own.foreseeRemoval('organizations', 'org_10000000000000001').then(() => (isFound = true));
    for (; !isFound; turns += 1) await nextTurn();

    expect(turns).toBeGreaterThan(2);
  });

  it('are gathered in short turns', async () => {
    const booted = await boot();
    const [user] = booted.own.tables.users.list();
    const organization_id = 'org_10000000000000001';
    multiply(booted, 'users', ROWS, (n) => ({ email: `user-${n}@scale.example` }));
    multiply(booted, 'memberships', ROWS, (n) => ({ user_id: copyOf(user!.id, n), organization_id }));
    multiply(booted, 'directory_users', ROWS, (n) => ({ email: `person-${n}@scale.example` }));
    multiply(booted, 'api_tokens', ROWS, (n) => ({ token: `token-${n}` }));
    const dependents = () =>
      booted.control.get(`/state/organizations/${organization_id}/dependents`).expect(200);
    const { body } = await dependents();

    const turn = await longestTurn(dependents);

    expect(body.deleted.length).toBeGreaterThan(3 * ROWS);
    expect(turn).toBeLessThan(100);
  });

  it('stay as they are', async () => {
    const booted = await boot();
    const hashed = async () => (await booted.control.get('/state/hash').expect(200)).body.hash as string;
    const before = await hashed();

    await booted.control.get('/state/organizations/org_10000000000000001/dependents').expect(200);

    expect(await hashed()).toBe(before);
  });
});

describe('The first list of the scenarios', () => {
  it('lets other calls be answered while the files are parsed', async () => {
    const booted = await boot();
    const rules = [{ on: 'UserService_ListUsers', reply: { error: 'gone' } }];
    await booted.control.post('/scenarios').send({ name: 'warm', rules }).expect(201);

    expect(await servedDuring(booted, booted.control.get('/scenarios').expect(200))).toBeGreaterThan(2);
  });
});

describe('A JSON body that is too large', () => {
  const unfinished = {
    levels: `{"metadata":${'['.repeat(200)}`,
    members: `{"a":{${'"b":1,'.repeat(10_000)}`,
  };

  it.each([
    ['levels', 'the request body is nested deeper than 100 levels'],
    ['members', 'the request body has an object with more than 10000 members'],
  ] as const)('is refused before it is parsed: %s', async (excess, message) => {
    const { api } = await boot();

    const refused = await api.post('/api/v1/organizations').type('json').send(unfinished[excess]).expect(400);

    expect(refused.body.message).toBe(message);
  });

  it('may have lists of any length, and commas in texts', async () => {
    const { api } = await boot();
    const long = { description: ','.repeat(20_000), list: Array.from({ length: 20_000 }, () => 1) };

    await api
      .post('/api/v1/organizations')
      .send({ display_name: 'Commas', ...long })
      .expect(201);
  });

  it('may have any number of brackets in texts', async () => {
    const { api } = await boot();
    const metadata = { brackets: '[{'.repeat(100) };

    await api.post('/api/v1/organizations').send({ display_name: 'Brackets', metadata }).expect(201);
  });
});

describe('A state of many rows', () => {
  it('is checked in turns with other calls', async () => {
    const { control, understudy, own } = await boot();
    const { body: state } = await control.get('/state').expect(200);
    const [{ external_id: _, ...first }] = state.organizations;
    const added = Array.from({ length: ROWS }, (_each, n) => ({ ...first, id: copyOf(first.id, n) }));
    const organizations = [...state.organizations, ...added];

    let [isRead, turns] = [false, 0];

    const { fixtures } = understudy.controls;
    void fixtures.read({ ...state, organizations }, own.clock.now()).then(() => (isRead = true));
    for (; !isRead; turns += 1) await nextTurn();

    expect(turns).toBeGreaterThan(2);
  });

  it('names each wrong row by its place', async () => {
    const { control } = await boot();
    const { body: state } = await control.get('/state').expect(200);
    const [first] = state.organizations;
    const organizations = Array.from({ length: 250 }, (_, n) => ({
      ...first,
      id: copyOf(first.id, n),
      ...((n === 120 || n === 240) && { nam: 'x' }),
    }));

    const { body } = await control
      .put('/state')
      .send({ ...state, organizations })
      .expect(400);

    const { field_violations: told } = body.details[0].validation_error_info;
    expect(told.map(({ field }: { field: string }) => field)).toEqual([
      'organizations[120].nam',
      'organizations[240].nam',
    ]);
  });
});

describe('A state of many wrong rows', () => {
  it('is refused without looking for all mistakes', async () => {
    const { control } = await boot();
    const organizations = Array.from({ length: 2000 }, () => ({ nam: 'x' }));

    const { body } = await control.put('/state').send({ organizations }).expect(400);

    const { field_violations: told } = body.details[0].validation_error_info;
    expect(told[0].field).toBe('organizations[0].nam');
    expect(Number(/^and (\d+) more$/.exec(told.at(-1).description)![1])).toBeLessThan(2000);
  });
});

describe('Removing a row that many others refer to', () => {
  const ORGANIZATION = 'org_10000000000000001';

  async function withManyMembers() {
    const booted = await boot();
    multiply(booted, 'memberships', 5000, (n) => ({
      user_id: copyOf('usr_1', n),
      organization_id: ORGANIZATION,
    }));
    const { memberships } = booted.own.tables;
    return { ...booted, before: memberships.count('organization_id', ORGANIZATION) };
  }

  it.each([
    ['an operation', `/api/v1/organizations/${ORGANIZATION}`, 200],
    ['the control API', `/_control/v1/state/organizations/${ORGANIZATION}`, 204],
  ] as const)('lets other calls see all of it or nothing: by %s', async (_what, path, status) => {
    const { api, own, before } = await withManyMembers();
    const seen = new Set<string>();
    let isDone = false;

    void api.delete(path).then((answer) => (isDone = answer.status === status));
    const look = () => {
      const { organizations, memberships } = own.tables;
      seen.add(`${organizations.has(ORGANIZATION)} ${memberships.count('organization_id', ORGANIZATION)}`);
    };
    for (; !isDone; look()) await nextTurn();

    expect([...seen]).toEqual([`true ${before}`, 'false 0']);
  });

  it('has turns with other calls', async () => {
    const booted = await withManyMembers();
    const { own } = booted;
    let [isDone, turns] = [false, 0];

    const removing = own.transactInTurns({ baseUrl: '' }, (env) => env.remove('organizations', ORGANIZATION));
    void Promise.resolve(removing).then(() => (isDone = true));
    for (; !isDone; turns += 1) await nextTurn();

    expect(turns).toBeGreaterThan(2);
  });

  it('keeps what other calls write and draw meanwhile', async () => {
    const { api, own } = await withManyMembers();
    const others = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth'];

    const [removed, ...created] = await Promise.all([
      api.delete(`/api/v1/organizations/${ORGANIZATION}`),
      ...others.map((display_name) => api.post('/api/v1/organizations').send({ display_name })),
    ]);

    expect(removed.status).toBe(200);
    const ids = created.map(({ body }) => body.organization.id as string);
    expect(new Set(ids).size).toBe(others.length);
    expect(ids.map((id) => own.tables.organizations.find(id)?.display_name)).toEqual(others);
    expect(own.tables.memberships.count('organization_id', ORGANIZATION)).toBe(0);
    const events = own.tables.events.list().map(({ id }) => id);
    expect(new Set(events).size).toBe(events.length);
  });
});

describe('A scenario with many edits', () => {
  const edits = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ insert: { display_name: `Company ${n}` } }));

  it('is loaded in turns with other calls, which see all of it or nothing', async () => {
    const { control, own } = await boot();
    const before = own.tables.organizations.count();
    const now = '2031-01-01T00:00:00.000Z';
    const scenario = {
      name: 'many',
      clock: { mode: 'frozen', at: now },
      state: { organizations: edits(5000) },
    };
    const seen = new Set<string>();
    let isDone = false;

    void control
      .post('/scenarios')
      .send(scenario)
      .then(({ status }) => (isDone = status === 201));
    const look = () => {
      const isMoved = new Date(own.clock.now()).toISOString() === now;
      seen.add(`${own.tables.organizations.count() - before} ${isMoved} ${own.scenarios.list().length}`);
    };
    for (; !isDone; look()) await nextTurn();

    expect([...seen]).toEqual(['0 false 0', '5000 true 1']);
    expect(own.tables.organizations.list().at(-1)?.create_time).toBe(now);
  });

  it('loads nothing if one of them fails', async () => {
    const { control, own } = await boot();
    const before = own.tables.organizations.count();
    const organizations = [...edits(3000), { match: { display_name: 'nobody' }, set: { display_name: 'x' } }];

    const { body } = await control
      .post('/scenarios')
      .send({ name: 'many', state: { organizations } })
      .expect(400);

    expect(body.message).toContain('state.organizations[3000]: organizations: no row matches');
    expect(own.tables.organizations.count()).toBe(before);
    expect(own.scenarios.list()).toEqual([]);
  });

  it('puts back what it has changed', async () => {
    const { control, own } = await boot();
    const before = own.collections();
    const state = { organizations: edits(5000) };

    await control.post('/scenarios').send({ name: 'many', restore: true, state }).expect(201);
    await control.delete('/scenarios/many').expect(204);

    expect(own.collections()).toEqual(before);
  });
});

describe('A long scenario', () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      on: 'UserService_ListUsers',
      when: { headers: { x: String(n) } },
      reply: { error: 'gone' },
    }));

  it.each([
    ['JSON', () => JSON.stringify({ name: 'long', rules: rules(4000) })],
    [
      'YAML',
      () =>
        `name: long\nrules:\n${rules(800)
          .map((rule) => `  - ${JSON.stringify(rule)}\n`)
          .join('')}`,
    ],
  ])('lets other calls be answered while it is read: %s', async (_format, text) => {
    const booted = await boot();
    const load = () => booted.control.post('/scenarios').type('application/yaml').send(text()).expect(201);
    await load();

    expect(await servedDuring(booted, load())).toBeGreaterThan(2);
  });

  it('names the place of a mistake in any part of it', async () => {
    const { control } = await boot();
    const written = rules(700).map((rule, n) =>
      n === 3 || n === 251 || n === 699 ? { ...rule, tims: 1 } : rule,
    );
    const text = JSON.stringify({ name: 'long', rules: written }, null, 1);

    const { body } = await control.post('/scenarios').send(text).type('json').expect(400);

    const line = (n: number) => text.split('"tims"').slice(0, n).join().split('\n').length;
    expect(body.message.split('\n')).toEqual(
      [3, 251, 699].map((index, n) =>
        expect.stringContaining(`request body:${line(n + 1)}:4: rules[${index}].tims: unknown key tims`),
      ),
    );
  });

  it('has at most 5000 rules', async () => {
    const { control } = await boot();

    const { body } = await control
      .post('/scenarios')
      .send({ name: 'long', rules: rules(5001) })
      .expect(400);

    expect(body.message).toBe('request body:1:24: rules: has 5001 rules; a scenario has at most 5000');
  });

  it.each([
    [
      '80 000 lines in YAML',
      `name: |\n${' a\n'.repeat(80_000)}`,
      '80001:1: is too long to be read as YAML: it has more than 80000 lines',
    ],
    ['100 levels', '['.repeat(400_000), '1:101: is nested deeper than 100 levels'],
  ])('has at most %s', async (_, text, message) => {
    const { control } = await boot();

    const { body } = await control.post('/scenarios').type('application/yaml').send(text).expect(400);

    expect(body.message).toContain(message);
  });
});

describe('An answer that makes very many records', () => {
  it('is refused', async () => {
    const { api, control } = await boot();
    const many = { $repeat: 100, of: { $repeat: 10, of: { $insert: 'message', with: {}, member: 'id' } } };
    const definition = { name: 'many_records', description: 'x', input_schema: {} };
    const tool = { provider: 'GMAIL', tags: [], updated_at: 'now', definition, response: { a: many } };
    await control.put('/state/tools/tol_1').send(tool).expect(200);
    const call = { tool_name: 'many_records', connected_account_id: 'ca_10000000000000301', params: {} };

    const { body } = await api.post('/api/v1/execute_tool').send(call).expect(400);

    expect(body.message).toContain('make more than 10000000 characters');
  });
});
