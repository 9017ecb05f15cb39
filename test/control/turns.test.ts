import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { nextTurn } from '../../src/scenarios/steps.ts';
import { timelineOf } from '../../src/state/timeline.ts';
import { copyOf, multiply, servedDuring } from '../support/turns.ts';

const ROWS = 20_000;

async function withManySessions(): Promise<Booted> {
  const booted = await boot();
  multiply(booted, 'sessions', ROWS, (n) => ({ label: `session ${n} ${'x'.repeat(3000)}` }));
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
