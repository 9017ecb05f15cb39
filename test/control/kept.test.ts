import { afterEach, describe, expect, it, vi } from 'vitest';
import { MOST_KEPT } from '../../src/environment/kept.ts';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { makeFolder } from '../support/process.ts';

const TEST = 'test/invitation.test.ts > an expired invitation can be sent again';
const FAILED = { test: TEST, outcome: 'failed' };
const MACHINE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const MINUTE = 60_000;

const keep = (control: Agent, name: string, wanted: object = FAILED) =>
  control.post(`/environments/${name}/keep`).send(wanted);

const create = (control: Agent, name: string) =>
  control.post('/environments').send({ name, fixture: 'empty' });

const found = async (control: Agent, test?: string): Promise<string[]> =>
  (
    await control
      .get('/environments')
      .query(test === undefined ? {} : { test })
      .expect(200)
  ).body.environments.map(({ name }: { name: string }) => name);

afterEach(() => void vi.useRealTimers());

describe('Control_KeepEnvironment', () => {
  it('says for which test the environment is kept, and the list of environments says so too', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });

    const { body } = await keep(control, 'red').expect(200);

    expect(body).toMatchObject({ name: 'red', client_id: expect.stringMatching(/^skc_red_/) });
    expect(body.kept).toEqual({ ...FAILED, kept_at: expect.stringMatching(MACHINE_TIME) });
    expect((await control.get('/environments/red').expect(200)).body.kept).toEqual(body.kept);
    const { environments } = (await control.get('/environments').expect(200)).body;
    expect(environments.map(({ kept }: { kept?: object }) => kept)).toEqual([undefined, body.kept]);
  });

  it('keeps journal, rows and mail, and a reset does not end it', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    const red = await environment('red', { fixture: 'empty' });
    await red.api.get('/api/v1/organizations/org_404').expect(404);
    await keep(control, 'red').expect(200);

    const { requests } = (await red.control.get('/requests').expect(200)).body;
    await red.control.post('/reset').expect(204);

    expect(requests.at(-1)).toMatchObject({ path: '/api/v1/organizations/org_404', status: 404 });
    expect(await found(control, 'invitation')).toEqual(['red']);
  });

  it('keeps it although nobody uses it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });
    await environment('blue', { fixture: 'empty' });
    await keep(control, 'red').expect(200);

    await vi.advanceTimersByTimeAsync(10_000 * MINUTE);

    expect(await found(control)).toEqual(['default', 'red']);
  });

  it('drops the one that was kept first when there are too many, and says why it is gone', async () => {
    const { control } = await boot({ fixture: 'empty', maxEnvironments: 3 });
    const names = Array.from({ length: MOST_KEPT }, (_, index) => `env-${index + 1}`);
    for (const name of names) {
      await create(control, name).expect(201);
      await keep(control, name, { test: `test ${name}`, outcome: 'passed' }).expect(200);
    }
    await keep(control, 'env-1').expect(200); // from now on the latest
    await create(control, 'last').expect(201);

    await keep(control, 'last').expect(200);

    expect(await found(control, '')).toEqual([...names.filter((name) => name !== 'env-2'), 'last']);
    const gone = await control.get('/environments/env-2').expect(404);
    expect(gone.body.message).toBe('environment env-2 was dropped, because 50 environments were kept later');
  });

  it('keeps the right number when many tests end at once', async () => {
    const { control } = await boot({ fixture: 'empty' });
    const names = Array.from({ length: MOST_KEPT + 10 }, (_, index) => `env-${index + 1}`);
    await Promise.all(names.map((name) => create(control, name).expect(201)));

    await Promise.all(names.map((name) => keep(control, name).expect(200)));

    expect(await found(control, '')).toHaveLength(MOST_KEPT);
  });

  it('does not count for --max-environments', async () => {
    const { control } = await boot({ fixture: 'empty', maxEnvironments: 1 });
    await create(control, 'red').expect(201);
    await create(control, 'blue').expect(400);
    await keep(control, 'red').expect(200);

    await create(control, 'blue').expect(201);
    await create(control, 'green').expect(400);
  });

  it('tells those who follow the service', async () => {
    const booted = await boot({ fixture: 'empty' });
    await booted.environment('red', { fixture: 'empty' });
    const heard = changesIn(booted);

    await keep(booted.control, 'red').expect(200);

    expect(heard()).toEqual([{ kind: 'environment', change: 'kept', name: 'red', test: TEST }]);
  });

  it.each([
    ['default', 'environment default cannot be kept for a test: it is never dropped'],
    [
      'stored',
      'environment stored cannot be kept for a test: it was created with persist, so it is never dropped',
    ],
  ])('refuses %s, which a later test must not drop', async (name, message) => {
    const { control, environment } = await boot({ fixture: 'empty', data: makeFolder() });
    await environment('stored', { fixture: 'empty', persist: true });

    const { body } = await keep(control, name).expect(400);

    expect(body).toMatchObject({ code: 3, message });
    expect(await found(control, '')).toEqual([]);
  });

  it.each([
    ['test', { outcome: 'failed' }],
    ['test', { test: '', outcome: 'failed' }],
    ['test', { test: 'x'.repeat(1001), outcome: 'failed' }],
    ['outcome', { test: TEST, outcome: 'skipped' }],
    ['outcome', { test: TEST }],
    ['reason', { ...FAILED, reason: 'none' }],
  ])('refuses a wrong %s', async (field, wanted) => {
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });

    const { body } = await keep(control, 'red', wanted).expect(400);

    expect(body.details[0].validation_error_info.field_violations).toMatchObject([{ field }]);
    expect(await found(control, '')).toEqual([]);
  });

  it('answers 404 for an unknown environment', async () => {
    const { control } = await boot({ fixture: 'empty' });

    const { body } = await keep(control, 'red').expect(404);

    expect(body.message).toContain('environment red not found');
  });
});

describe('Control_ListEnvironments', () => {
  it('finds kept environments by words of the test, in any order and case', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    for (const name of ['red', 'blue', 'free']) await environment(name, { fixture: 'empty' });
    await keep(control, 'red').expect(200);
    await keep(control, 'blue', { test: 'tests/test_roles.py::test_create', outcome: 'failed' }).expect(200);

    expect(await found(control, 'EXPIRED invitation')).toEqual(['red']);
    expect(await found(control, 'again invitation.test')).toEqual(['red']);
    expect(await found(control, 'test_roles')).toEqual(['blue']);
    expect(await found(control, '')).toEqual(['red', 'blue']);
    expect(await found(control, 'nothing like that')).toEqual([]);
  });

  it('no longer finds one that was dropped', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });
    await keep(control, 'red').expect(200);

    await control.delete('/environments/red').expect(204);

    expect(await found(control, '')).toEqual([]);
  });

  it('does not find the fork of a kept environment', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });
    await keep(control, 'red').expect(200);

    await control.post('/environments/red/fork').send({ name: 'what-if' }).expect(201);

    expect(await found(control, '')).toEqual(['red']);
  });
});

/** What is published about environments from now on. */
function changesIn({ understudy }: Booted): () => unknown[] {
  const items: unknown[] = [];
  understudy.controls.simulator.environments.get('default').activity.observe((item) => items.push(item));
  return () => items;
}
