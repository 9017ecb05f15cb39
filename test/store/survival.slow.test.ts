import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/start/config.ts';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { makeFolder } from './support.ts';

const NOW = '2030-01-01T00:00:00Z';
const LIST = '/api/v1/organizations';

const start = (data: string, config: Partial<Config> = {}) =>
  boot({ data, fixture: 'empty', now: NOW, ...config });

/** A simulator with the files of a process that was just killed. */
function afterKill(data: string, config: Partial<Config> = {}): Promise<Booted> {
  const copy = mkdtempSync(join(tmpdir(), 'survival-test-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const file of readdirSync(data).filter((name) => /\.(json|log)$/.test(name)))
    copyFileSync(join(data, file), join(copy, file));
  return start(copy, config);
}

/** A simulator after a clean stop of the one before. */
async function afterStop(before: Booted, data: string, config: Partial<Config> = {}): Promise<Booted> {
  await before.understudy.close();
  return start(data, config);
}

const load = (control: Agent, scenario: object) => control.post('/scenarios').send(scenario).expect(201);
const loaded = async (control: Agent) => (await control.get('/scenarios').expect(200)).body.loaded;
const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;
const create = (api: Agent, display_name: string) => api.post(LIST).send({ display_name }).expect(201);
const namesIn = async (control: Agent) =>
  (await control.get('/state/organizations').expect(200)).body.rows.map(
    (row: { display_name: string }) => row.display_name,
  );

/** The statuses of so many calls that change nothing. */
async function statusesOf(api: Agent, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < count; call += 1) statuses.push((await api.get(LIST)).status);
  return statuses;
}

const failing = (rule: object, name = 'failing') => ({
  name,
  rules: [{ on: 'OrganizationService_ListOrganization', ...rule, reply: { error: 'unavailable' } }],
});

const linesIn = (data: string) => readFileSync(join(data, 'default.log'), 'utf8').split('\n').length;

describe('a rule that was used', () => {
  it.each([
    ['times', { times: 1 }, [503], [200, 200]],
    ['after', { after: 2, times: 1 }, [200], [200, 503, 200]],
    ['every', { every: 3 }, [200, 200], [503, 200, 200, 503]],
  ])('with %s goes on after kill -9', async (_, rule, before, after) => {
    const data = makeFolder();
    const { api, control } = await start(data);
    await load(control, failing(rule));
    expect(await statusesOf(api, before.length)).toEqual(before);
    const known = await loaded(control);

    const again = await afterKill(data);

    expect(await loaded(again.control)).toEqual(known);
    expect(await statusesOf(again.api, after.length)).toEqual(after);
  });

  it('continues its random numbers after kill -9', async () => {
    const [data, other] = [makeFolder(), makeFolder()];
    const [first, reference] = [await start(data), await start(other)];
    for (const { control } of [first, reference]) await load(control, failing({ probability: 0.5 }));
    const before = await statusesOf(first.api, 8);

    const again = await afterKill(data);

    expect([...before, ...(await statusesOf(again.api, 8))]).toEqual(await statusesOf(reference.api, 16));
  });

  it('without a limit keeps its hits after a stop, and they cost less than a write for each call', async () => {
    const data = makeFolder();
    const first = await start(data);
    await load(first.control, failing({}));
    const size = statSync(join(data, 'default.log')).size;
    await statusesOf(first.api, 40);
    const written = statSync(join(data, 'default.log')).size - size;

    const again = await afterStop(first, data);

    expect(written).toBeLessThan(40 * 200);
    expect((await loaded(again.control))[0].rules[0]).toMatchObject({ seen: 40, hits: 40 });
  });

  it('travels with the change of its call', async () => {
    const data = makeFolder();
    const { api, control } = await start(data);
    const rule = {
      on: 'OrganizationService_CreateOrganization',
      times: 5,
      patch: { organization: { display_name: 'B' } },
    };
    await load(control, { name: 'patching', rules: [rule] });
    const before = linesIn(data);

    await create(api, 'A');

    expect(linesIn(data)).toBe(before + 1);
    expect((await loaded((await afterKill(data)).control))[0].rules[0]).toMatchObject({
      hits: 1,
      remaining: 4,
    });
  });
});

describe('calls without a loaded scenario', () => {
  it('write nothing if they change nothing', async () => {
    const data = makeFolder();
    const { api, control } = await start(data);
    await create(api, 'Acme');
    const size = () => statSync(join(data, 'default.log')).size;
    const before = size();

    await statusesOf(api, 5);
    await control.get('/state/organizations').expect(200);

    expect(size()).toBe(before);
  });
});

describe('a loaded scenario', () => {
  it('from files that are gone is the same after kill -9', async () => {
    const [data, folder] = [makeFolder(), makeFolder()];
    const file = (name: string, lines: string[]) =>
      writeFileSync(join(folder, `${name}.yaml`), lines.join('\n'));
    const rule = [
      'rules:',
      '  - on: OrganizationService_*',
      '    when: { path: { id: "org_${n}" } }',
      '    times: 3',
    ];
    file('part', [
      'name: part',
      'params: { n: 1 }',
      ...rule,
      '    reply: { error: gone, message: "${path.id}" }',
    ]);
    file('whole', ['name: whole', 'params: { m: 2 }', 'include: [{ name: part, params: { n: "${m}" } }]']);
    const first = await start(data, { scenarioFolders: [folder] });
    await load(first.control, { name: 'whole', params: { m: 7 } });
    const refused = await first.api.get(`${LIST}/org_7`).expect(410);
    const known = await loaded(first.control);
    for (const name of ['part', 'whole']) rmSync(join(folder, `${name}.yaml`));

    const again = await afterKill(data, { scenarioFolders: [folder] });

    expect(known).toMatchObject([{ id: 'scn_1', name: 'whole', params: { m: 7 }, rules: [{ hits: 1 }] }]);
    expect(await loaded(again.control)).toEqual(known);
    expect((await again.api.get(`${LIST}/org_7`).expect(410)).body.message).toBe(refused.body.message);
  });

  it('that this version does not understand is left out with a warning', async () => {
    const data = makeFolder();
    const first = await start(data);
    await load(first.control, failing({}));
    await load(first.control, failing({ times: 1 }, 'other'));
    await first.understudy.close();
    const file = join(data, 'default.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace('OrganizationService_ListOrganization', 'Former_Operation')
        .replace(/"crc32":"\w+",/, ''),
    );

    const again = await start(data);

    expect(await loaded(again.control)).toMatchObject([{ name: 'other' }]);
    expect(again.lines.join('')).toMatch(/environment default continues without scenario .*Former_Operation/);
  });

  it('that was unloaded stays unloaded, and ids go on', async () => {
    const data = makeFolder();
    const first = await start(data);
    await load(first.control, failing({}));
    await first.control.delete('/scenarios/failing').expect(204);

    const again = await afterKill(data);

    expect(await loaded(again.control)).toEqual([]);
    expect((await load(again.control, failing({}))).body.id).toBe('scn_2');
  });

  it('with restore puts back the rows that an earlier process has changed and removed, in their order', async () => {
    const data = makeFolder();
    const first = await start(data);
    const ids: string[] = [];
    for (const name of ['A', 'B', 'C', 'D']) ids.push((await create(first.api, name)).body.organization.id);
    const before = await namesIn(first.control);
    const state = {
      organizations: [
        { delete: { match: { id: ids[1] } } },
        { match: { id: ids[2] }, set: { display_name: 'Changed' } },
      ],
    };
    await load(first.control, { name: 'changing', restore: true, state });
    expect(await namesIn(first.control)).toEqual(['A', 'Changed', 'D']);

    const again = await afterStop(first, data);
    await create(again.api, 'E');
    await again.control.delete('/scenarios/changing').expect(204);

    expect(await namesIn(again.control)).toEqual([...before, 'E']);
  });
});

describe('a scenario of the command line', () => {
  const once = { scenarios: ['rate-limit-once'] };

  it('goes on with its counts after a restart, until a reset', async () => {
    const data = makeFolder();
    const first = await start(data, once);
    expect(await statusesOf(first.api, 2)).toEqual([429, 200]);

    const again = await afterStop(first, data, once);

    expect(await statusesOf(again.api, 1)).toEqual([200]);
    await again.control.post('/reset').expect(204);
    expect(await statusesOf(again.api, 2)).toEqual([429, 200]);
  });

  it('that was unloaded stays unloaded, until a reset', async () => {
    const data = makeFolder();
    const first = await start(data, once);
    await first.control.delete('/scenarios/rate-limit-once').expect(204);

    const again = await afterStop(first, data, once);

    expect(await loaded(again.control)).toEqual([]);
    await again.control.post('/reset').expect(204);
    expect(await loaded(again.control)).toMatchObject([{ name: 'rate-limit-once' }]);
  });

  it('is unloaded if it is no longer there, and loaded if it is new or has changed', async () => {
    const data = makeFolder();
    const first = await start(data, { scenarios: ['rate-limit-once', 'seat-limit'] });
    await load(first.control, failing({}));

    const again = await afterStop(first, data, {
      scenarios: ['magic-link-expired', 'rate-limit-once,times=2'],
    });

    expect(await loaded(again.control)).toMatchObject([
      { name: 'failing' },
      { name: 'magic-link-expired' },
      { name: 'rate-limit-once', params: { times: 2 }, rules: [{ remaining: 2 }] },
    ]);
  });
});

describe('the window of a rate limit', () => {
  it('goes on after kill -9', async () => {
    const data = makeFolder();
    const first = await start(data);
    const rate_limit = { requests: 4, per: '1m' };
    await first.control.patch('/state/settings/settings').send({ rate_limit }).expect(200);
    expect(await statusesOf(first.api, 2)).toEqual([200, 200]);

    const again = await afterKill(data);

    // The call for the token of `again` counts too.
    expect(await statusesOf(again.api, 2)).toEqual([200, 429]);
    await again.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    expect(await statusesOf(again.api, 1)).toEqual([200]);
  });
});

describe('a snapshot', () => {
  it('is listed, restored with its scenarios and deleted by a later process', async () => {
    const data = makeFolder();
    const first = await start(data);
    await create(first.api, 'Before');
    await load(first.control, failing({ times: 2 }));
    expect(await statusesOf(first.api, 1)).toEqual([503]);
    const taken = (await first.control.post('/snapshots').send({ name: 'a' }).expect(201)).body;
    const hash = await hashOf(first.control);
    await create(first.api, 'After');
    await first.control.delete('/scenarios').expect(204);

    const again = await afterKill(data);

    expect((await again.control.get('/snapshots').expect(200)).body).toEqual({ snapshots: [taken] });
    await again.control.post('/snapshots/a/restore').expect(204);
    expect(await hashOf(again.control)).toBe(hash);
    expect(await namesIn(again.control)).toEqual(['Before']);
    expect(await statusesOf(again.api, 2)).toEqual([503, 200]);
    await again.control.delete('/snapshots/a').expect(204);
    expect((await again.control.get('/snapshots').expect(200)).body).toEqual({ snapshots: [] });
  });

  it('that was deleted is gone, also its file, and so are those of a dropped environment', async () => {
    const data = makeFolder();
    const { control } = await start(data);
    const files = () => readdirSync(data).filter((file) => file.includes('.save-'));
    await control.post('/environments').send({ name: 'worker', persist: true }).expect(201);
    await control.post('/environments/worker/snapshots').send({ name: 'a' }).expect(201);
    for (const name of ['a', 'b']) await control.post('/snapshots').send({ name }).expect(201);
    expect(files()).toHaveLength(3);

    await control.delete('/snapshots/a').expect(204);
    await control.delete('/environments/worker').expect(204);

    expect(files()).toHaveLength(1);
    const again = await afterKill(data);
    expect((await again.control.get('/snapshots').expect(200)).body.snapshots).toMatchObject([{ name: 'b' }]);
  });
});

describe('a reset after a restart', () => {
  it('goes back to the scenarios that the environment was made with', async () => {
    const data = makeFolder();
    const first = await start(data);
    const wanted = { name: 'worker', persist: true, scenarios: ['rate-limit-once', failing({ after: 9 })] };
    await first.control.post('/environments').send(wanted).expect(201);
    const worker = '/environments/worker';
    const hash = (await first.control.get(`${worker}/state/hash`).expect(200)).body.hash;
    await first.control.delete(`${worker}/scenarios`).expect(204);

    const again = await afterKill(data);

    expect((await again.control.get(`${worker}/scenarios`).expect(200)).body.loaded).toEqual([]);
    await again.control.post(`${worker}/reset`).expect(204);
    expect((await again.control.get(`${worker}/state/hash`).expect(200)).body.hash).toBe(hash);
    expect((await again.control.get(`${worker}/scenarios`).expect(200)).body.loaded).toMatchObject([
      { name: 'rate-limit-once' },
      { name: 'failing' },
    ]);
  });

  it('of default goes back to the fixture and the scenarios of the command line', async () => {
    const data = makeFolder();
    const first = await start(data, { scenarios: ['rate-limit-once'] });
    expect(await statusesOf(first.api, 1)).toEqual([429]);
    await load(first.control, failing({}));
    await create(first.api, 'Acme');

    const again = await afterKill(data, { scenarios: ['rate-limit-once'] });
    await again.control.post('/reset').expect(204);

    expect(await namesIn(again.control)).toEqual([]);
    expect(await loaded(again.control)).toMatchObject([
      { name: 'rate-limit-once', rules: [{ remaining: 1 }] },
    ]);
  });
});

describe('the rows of the fixture', () => {
  it('stay replaced, removed, moved and in order after each stop, and a reset brings them back', async () => {
    const data = makeFolder();
    let { control, understudy } = await start(data);
    const state = async () => (await control.get('/state/permissions').expect(200)).text;
    const fixture = await state();
    const restart = async () => {
      await understudy.close();
      ({ control, understudy } = await start(data));
    };
    const change = async (step: number) => {
      const { rows } = (await control.get('/state/permissions').expect(200)).body;
      const [replaced, moved, removed] = rows.slice(step);
      const path = (row: { id: string }) => `/state/permissions/${row.id}`;
      await control
        .patch(path(replaced))
        .send({ description: `step ${step}` })
        .expect(200);
      await control.delete(path(moved)).expect(204);
      await control.put(path(moved)).send(moved).expect(200);
      await control.delete(path(removed)).expect(204);
    };

    for (const step of [0, 1, 2]) {
      await change(step);
      const changed = await state();
      await restart();
      expect(await state()).toBe(changed);
    }

    await control.post('/reset').expect(204);
    expect(await state()).toBe(fixture);
  });
});
