import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, Postgres } from '../../../test/support/postgres.ts';
import { eventually, serve, type Service } from '../../../test/support/process.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const LIST = '/api/v1/organizations';

/** Starts a process on the database. Its lease does not end by itself while a test runs. */
const replica = (store: string, ...args: string[]): Promise<Service> =>
  serve(['--store', store, '--fixture', 'empty', ...args]);

/** The answer of the control call once this process owns the environment. */
async function owned({ control }: Service, path: string) {
  const { body } = await eventually(
    async () => control.get(path),
    ({ status }) => status === 200,
  );
  return body;
}

async function killed(service: Service): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

type Api = Awaited<ReturnType<Service['login']>>;

async function statusesOf(api: Api, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < count; call += 1) statuses.push((await api.get(LIST)).status);
  return statuses;
}

const failing = (rule: object) => ({
  name: 'failing',
  rules: [{ on: 'OrganizationService_ListOrganization', ...rule, reply: { error: 'unavailable' } }],
});

describe.skipIf(!HAS_POSTGRES)('another process that takes over', () => {
  it('has the scenarios with their counts, the window of the rate limit, and the snapshots', async () => {
    const store = await postgres.database();
    const args = ['--scenario', 'rate-limit-once'];
    const [first, second] = [await replica(store, ...args), await replica(store, ...args)];
    const { control } = first;
    await control.put('/clock').send({ mode: 'frozen', at: '2031-05-05T05:05:05Z' }).expect(200);
    await control
      .post('/scenarios')
      .send(failing({ after: 1, times: 2 }))
      .expect(201);
    const api = await first.login();
    expect(await statusesOf(api, 3)).toEqual([429, 200, 503]);
    await control.post('/snapshots').send({ name: 'halfway' }).expect(201);
    expect(await statusesOf(api, 1)).toEqual([503]);
    const rate_limit = { requests: 3, per: '1m' };
    await control.patch('/state/settings/settings').send({ rate_limit }).expect(200);
    expect(await statusesOf(api, 1)).toEqual([200]);
    const scenarios = ['/scenarios/rate-limit-once', '/scenarios/failing'];
    const before = await Promise.all(scenarios.map((each) => owned(first, each)));
    await killed(first);

    expect(await Promise.all(scenarios.map((each) => owned(second, each)))).toEqual(before);
    const again = await second.login(); // the second call of the window
    expect(await statusesOf(again, 2)).toEqual([200, 429]);
    expect((await owned(second, '/snapshots')).snapshots).toMatchObject([{ name: 'halfway' }]);
    await second.control.post('/snapshots/halfway/restore').expect(204);
    expect(await statusesOf(again, 2)).toEqual([503, 200]);
    await second.control.delete('/snapshots/halfway').expect(204);
    await second.stop();
  });

  it('resets a fork to the moment of the fork', async () => {
    const store = await postgres.database();
    const [first, second] = [await replica(store), await replica(store)];
    const api = await first.login();
    await api.post(LIST).send({ display_name: 'Before' }).expect(201);
    await first.control.post('/environments/default/fork').send({ name: 'what-if' }).expect(201);
    const fork = '/environments/what-if';
    const hash = (await first.control.get(`${fork}/state/hash`).expect(200)).body.hash;
    await first.control.delete(`${fork}/state/organizations/${await onlyOrganization(first)}`).expect(204);
    await killed(first);

    expect((await owned(second, `${fork}/state/organizations`)).rows).toEqual([]);
    await second.control.post(`${fork}/reset`).expect(204);

    expect((await owned(second, `${fork}/state/organizations`)).rows).toMatchObject([
      { display_name: 'Before' },
    ]);
    expect((await owned(second, `${fork}/state/hash`)).hash).toBe(hash);
    await second.control.delete(fork).expect(204);
    await second.stop();
  });
});

async function onlyOrganization({ control }: Service): Promise<string> {
  const { body } = await control.get('/environments/what-if/state/organizations').expect(200);
  expect(body.rows).toHaveLength(1);
  return body.rows[0].id;
}
