import { describe, expect, it } from 'vitest';
import { boot, tokenOf } from '../support/boot.ts';
import { agentOf } from './agents.ts';

const CLOCK = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
const ACME = '/api/v1/organizations/org_10000000000000001';

const MACHINE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const namesOf = ({ environments }: { environments: { name: string }[] }) =>
  environments.map(({ name }) => name);

describe('Control_ListFixtures', () => {
  it('names what an environment can start from', async () => {
    const { control } = await boot();

    const { body } = await control.get('/fixtures').expect(200);

    expect(body.fixtures).toEqual([
      'catalogue',
      'default',
      'demo',
      'empty',
      'mcp-conformance',
      'small',
      'sso',
    ]);
    for (const fixture of body.fixtures as string[])
      await control.post('/environments').send({ fixture }).expect(201);
  });
});

describe('Control_CreateEnvironment', () => {
  it('responds with the URL and with credentials that work only in this environment', async () => {
    const { control, understudy } = await boot({ baseUrl: 'http://understudy.test' });

    const { body } = await control.post('/environments').send({ name: 'red' }).expect(201);

    expect(body).toEqual({
      name: 'red',
      base_url: 'http://understudy.test',
      client_id: expect.stringMatching(/^skc_red_\d+$/),
      client_secret: expect.stringMatching(/^test_red_/),
      created_at: expect.stringMatching(MACHINE_TIME),
      last_used_at: expect.stringMatching(MACHINE_TIME),
      rows: expect.any(Number),
      requests: 0,
    });
    const { last_used_at: _, ...lasting } = body;
    expect((await control.get('/environments/red').expect(200)).body).toMatchObject(lasting);
    const token = await tokenOf(understudy.app, body);
    await agentOf(understudy.app, { authorization: `Bearer ${token}` })
      .get(ACME)
      .expect(200);
    await agentOf(understudy.app, { authorization: `Bearer ${token}`, 'understudy-environment': 'default' })
      .get(ACME)
      .expect(401);
  });

  it('has rows that can be read, however long its name is', async () => {
    const { environment } = await boot();
    const name = 'a'.repeat(40);
    const { control } = await environment(name);

    const { body } = await control.get('/state').expect(200);

    expect(body.clients.map(({ id }: { id: string }) => id)).toContain(`skc_${name}_1000000000000000001`);
  });

  it('chooses a free name when none is given, with or without a body', async () => {
    const { control } = await boot();
    await control.post('/environments').send({ name: 'env-2' }).expect(201);

    const first = await control.post('/environments').expect(201);
    const second = await control.post('/environments').send({}).expect(201);

    expect([first.body.name, second.body.name]).toEqual(['env-1', 'env-3']);
    const { body } = await control.get('/environments').expect(200);
    expect(namesOf(body)).toEqual(['default', 'env-2', 'env-1', 'env-3']);
  });

  it('starts from the given fixture, clock and scenarios', async () => {
    const { control, environment } = await boot();

    const red = await environment('red', { fixture: 'empty', clock: CLOCK, scenarios: ['rate-limit-once'] });

    expect((await red.control.get('/clock').expect(200)).body.now).toBe('2030-01-01T00:00:00.000Z');
    expect((await red.control.get('/state/organizations').expect(200)).body).toEqual({ rows: [], total: 0 });
    expect((await red.control.get('/scenarios').expect(200)).body.loaded).toMatchObject([
      { name: 'rate-limit-once' },
    ]);
    expect((await control.get('/scenarios').expect(200)).body.loaded).toEqual([]);
  });

  it('says how many rows and journal entries the environment has', async () => {
    const { control, environment } = await boot();
    const red = await environment('red', { fixture: 'empty', clock: CLOCK });
    const counted = async () => {
      const { rows, requests } = (await control.get('/environments/red').expect(200)).body;
      return { rows, requests };
    };
    const before = await counted();

    await red.api.post('/api/v1/organizations').send({ display_name: 'Counted' }).expect(201);
    const { body: state } = await red.control.get('/state').expect(200);
    const stored = Object.values(state as Record<string, unknown[]>).flat().length;
    const calls = (await red.control.get('/requests').expect(200)).body.requests.length;

    expect(await counted()).toEqual({ rows: stored, requests: calls });
    expect(stored).toBeGreaterThan(before.rows);
    await red.control.post('/reset').expect(204);
    expect(await counted()).toEqual({ rows: before.rows, requests: 0 });
  });

  it('generates other ids with another seed', async () => {
    const { environment } = await boot();
    const made = async (name: string, seed: number) => {
      const { api } = await environment(name, { clock: CLOCK, seed });
      const { body } = await api
        .post('/api/v1/passwordless/email/send')
        .send({ email: 'ada@acme.example' })
        .expect(200);
      return body.auth_request_id;
    };

    expect(await made('red', 7)).not.toBe(await made('blue', 8));
  });

  it('refuses a name that is taken, and the existing environment stays unchanged', async () => {
    const { control, environment } = await boot();
    const red = await environment('red');
    await red.api.delete(ACME).expect(200);

    const { body } = await control.post('/environments').send({ name: 'red' }).expect(409);

    expect(body.message).toBe('environment red exists already');
    await red.api.get(ACME).expect(404);
  });

  it.each(['Red', 'red_1', '-red', 'red-', 'r'.repeat(41), 'réd'])(
    'refuses the name %s and shows a valid one',
    async (name) => {
      const { control } = await boot();

      const { body } = await control.post('/environments').send({ name }).expect(400);

      const [{ field, description }] = body.details[0].validation_error_info.field_violations;
      expect(field).toBe('name');
      expect(description).toContain('such as worker-1');
    },
  );

  it.each([
    [{ fixture: 'defalt' }, /did you mean default\?/],
    [{ scenarios: ['invite-expird'] }, /did you mean invite-expired\?/],
    [{ clock: { mode: 'offset' } }, /takes either at or offset/],
  ])('creates no environment with %j', async (wanted, message) => {
    const { control } = await boot();

    const { status, body } = await control.post('/environments').send({ name: 'red', ...wanted });

    expect([400, 404]).toContain(status);
    expect(body.message).toMatch(message);
    expect(namesOf((await control.get('/environments').expect(200)).body)).toEqual(['default']);
  });
});

describe('Control_DeleteEnvironment', () => {
  it('deletes an environment; its name can be used again with fresh rows', async () => {
    const { control, environment } = await boot();
    const { api, control: red } = await environment('red');
    await api.delete(ACME).expect(200);

    await control.delete('/environments/red').expect(204);

    await control.get('/environments/red').expect(404);
    await red.get('/state').expect(404);
    const again = await environment('red');
    await again.api.get(ACME).expect(200);
  });

  it('refuses to delete the environment `default`', async () => {
    const { control } = await boot();

    const { body } = await control.delete('/environments/default').expect(400);

    expect(body.message).toBe('environment default cannot be dropped');
    await control.get('/environments/default').expect(200);
  });
});

describe('the environment of a control call', () => {
  it('is the one in the header, or the one in the path, which takes precedence', async () => {
    const { control, environment } = await boot();
    const red = await environment('red');
    await environment('blue', { clock: CLOCK });
    const now = '2030-01-01T00:00:00.000Z';

    const ofHeader = await red.control.get('/clock').expect(200);
    const ofPath = await control.get('/environments/blue/clock').expect(200);
    const ofBoth = await red.control.get('/environments/blue/clock').expect(200);

    expect(ofHeader.body.mode).toBe('real');
    expect([ofPath.body.now, ofBoth.body.now]).toEqual([now, now]);
  });

  it('is the only one that changes', async () => {
    const { control, environment } = await boot();
    const red = await environment('red', { clock: CLOCK });
    const blue = await environment('blue', { clock: CLOCK });
    const before = (await blue.control.get('/state/hash').expect(200)).body;

    await red.control.delete('/state/organizations/org_10000000000000001').expect(204);
    await red.control.post('/clock/advance').send({ by: '25h' }).expect(200);
    await red.control.post('/scenarios').send({ name: 'rate-limit-always' }).expect(201);
    await red.control
      .put('/state')
      .send({ include: ['empty'] })
      .expect(204);

    expect((await blue.control.get('/state/hash').expect(200)).body).toEqual(before);
    await blue.api.get(ACME).expect(200);
    expect((await control.get('/clock').expect(200)).body.mode).toBe('real');
  });
});
