import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, serve, type Service } from '../../../test/support/process.ts';
import { startPeers, startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const LIST = '/api/v1/organizations';

interface Call {
  id: string;
  operation: string;
}

const requests = async ({ control }: Pick<Replica, 'control'>): Promise<Call[]> =>
  (await control.get('/requests').expect(200)).body.requests;

const idsOf = (calls: readonly Call[]) => calls.map(({ id }) => id);

const numbers = async (store: string) =>
  (await query(store, 'SELECT number FROM understudy_calls ORDER BY number')).map(({ number }) =>
    Number(number),
  );

describe.skipIf(!HAS_POSTGRES)('the calls that several processes have answered', () => {
  it('are shown by each of them in the same order, also after one was killed', async () => {
    const store = await postgres.database();
    const start = (): Promise<Service> => serve(['--store', store, '--fixture', 'empty']);
    const [first, second] = [await start(), await start()];
    const apis = [await first.login(), await second.login()];
    for (const api of [...apis, ...apis]) await api.get(LIST).expect(200);
    const before = await requests(first);

    expect(before).toHaveLength(6);
    expect(idsOf(await requests(second))).toEqual(idsOf(before));
    await apis[0]!.post(LIST).send({ display_name: 'Acme' }).expect(201);
    expect((await requests(second)).slice(0, 6)).toEqual(before);
    first.kill('SIGKILL');
    await first.exited;

    const match = { operation: 'OrganizationService_CreateOrganization', body: { display_name: 'Acme' } };
    await second.control.post('/requests/verify').send({ match, times: 1 }).expect(200);
    const [last] = (await requests(second)).slice(-1);
    await second.control.get(`/requests/${last!.id}`).expect(200);
    await second.control.get(`/requests/${last!.id}/trace`).expect(200);
    await second.stop();
  });

  it('go from all of them with a clear and with a reset', async () => {
    const [first, second] = await startPeers(await postgres.database());
    for (const path of ['/requests', '/reset']) {
      for (const replica of [first, second]) await replica.login();
      expect((await requests(second)).length).toBeGreaterThan(0);

      if (path === '/reset') await first.control.post(path).expect(204);
      else await first.control.delete(path).expect(204);

      expect(await requests(first)).toEqual([]);
      expect(await requests(second)).toEqual([]);
    }
  });

  it('are stored as long as a journal keeps them, and as their environment exists', async () => {
    const store = await postgres.database();
    const journal = { entries: 5, bytes: 4_000_000, redact: true };
    const replica = await startReplica(store, { journal });
    const api = await replica.login();
    for (let call = 0; call < 20; call += 1) await api.get(LIST).expect(200);

    const last = Number((await requests(replica)).at(-1)!.id.slice(4));
    const kept = await eventually(
      () => numbers(store),
      (found) => found.includes(last) && found.length <= 5,
    );

    expect(kept).toEqual((await requests(replica)).map(({ id }) => Number(id.slice(4))));
    await replica.control.post('/environments').send({ name: 'worker' }).expect(201);
    const worker = { 'understudy-environment': 'worker' };
    await replica.anonymous.get('/.well-known/openid-configuration').set(worker).expect(200);
    await eventually(
      () => numbers(store),
      (found) => found.length > kept.length,
    );
    await replica.control.delete('/environments/worker').expect(204);
    await eventually(
      () => numbers(store),
      (found) => found.length === kept.length,
    );
  });

  it('count in the coverage that each of them reports', async () => {
    const [first, second] = await startPeers(await postgres.database());
    for (const replica of [first, second]) await (await replica.login()).get(LIST).expect(200);

    for (const { control } of [first, second]) {
      const { body } = await control.get('/coverage').query({ format: 'json' }).expect(200);
      expect(body.summary.calls).toBe(4);
    }
  });
});
