import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/start/config.ts';
import { agent, tokenOf } from '../../../test/support/boot.ts';
import { metricsOf } from '../../../test/support/metrics.ts';
import { endLeases, HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, serve, type Service } from '../../../test/support/process.ts';
import { holding, owning, startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const LIST = '/api/v1/organizations';

/** Starts a process on the database. Its lease does not end by itself while a test runs. */
const process = (store: string): Promise<Service> =>
  serve(['--store', store, '--journal-store', '--lease', '10m', '--fixture', 'empty']);

const start = (store: string, config: Partial<Config> = {}): Promise<Replica> =>
  startReplica(store, { journalStore: true, ...config });

type Asked = Pick<Replica, 'control' | 'anonymous'>;

const counted = async ({ anonymous }: Asked, result: 'stored' | 'lost') =>
  (await metricsOf(anonymous)).get(`understudy_journal_calls_total{result="${result}"}`) ?? 0;

/** Resolves once so many calls are stored. */
const stored = (replica: Asked, count: number) =>
  eventually(
    () => counted(replica, 'stored'),
    (found) => found >= count,
  );

/** Once the process owns the environment. */
async function requests({ control }: Pick<Asked, 'control'>, prefix = ''): Promise<{ id: string }[]> {
  const { body } = await eventually(
    async () => control.get(`${prefix}/requests`),
    ({ status }) => status === 200,
  );
  return body.requests;
}

const rows = (store: string) =>
  query(store, 'SELECT environment, epoch, number FROM understudy_journal ORDER BY epoch, number');

describe.skipIf(!HAS_POSTGRES)('--journal-store with --store', () => {
  it('shows the calls of a process that was killed, in order and with their ids', async () => {
    const store = await postgres.database();
    const [first, second] = [await process(store), await process(store)];
    const api = await first.login();
    await api.post(LIST).send({ display_name: 'Acme' }).expect(201);
    await api.get(`${LIST}/org_404`).expect(404);
    const before = await requests(first);
    await stored(first, before.length);

    first.kill('SIGKILL');
    await first.exited;
    await endLeases(store);

    expect(await requests(second)).toEqual(before);
    const match = { operation: 'OrganizationService_CreateOrganization', body: { display_name: 'Acme' } };
    await second.control.post('/requests/verify').send({ match, times: 1 }).expect(200);
    await (await second.login()).get(LIST).expect(200);
    const after = await requests(second);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(new Set(after.map(({ id }) => id)).size).toBe(before.length + 2);
    await second.stop();
  });

  it('stores nothing of a process that has lost the environment meanwhile', async () => {
    const store = await postgres.database();
    const [first, second] = [await process(store), await process(store)];
    const api = await first.login();
    await stored(first, 1);
    const [{ epoch }] = (await rows(store)) as [{ epoch: string }];
    await api.get(LIST).expect(200);
    first.kill('SIGSTOP'); // before it has stored the call
    await endLeases(store);
    await requests(second);
    await second.control.delete('/requests').expect(204);
    await eventually(
      async () => (await rows(store)).map((row) => row['epoch']),
      (found) => found.length > 0 && !found.includes(epoch),
    );

    first.kill('SIGCONT');
    await eventually(
      () => first.stderr(),
      (text) => text.includes('gives up its environments'),
    );

    expect((await first.stop()).code).toBe(0);
    expect((await rows(store)).map((row) => row['epoch'])).not.toContain(epoch);
    await second.stop();
  });

  it('shows the calls of an environment that has rested, and removes them with it', async () => {
    const store = await postgres.database();
    const replica = await owning(await start(store, { restAfter: 1000 }));
    const { control, understudy } = replica;
    const made = (await control.post('/environments').send({ name: 'worker', persist: true }).expect(201))
      .body;
    const authorization = `Bearer ${await tokenOf(understudy.app, made)}`;
    await agent(understudy.app, '', { authorization }).get(LIST).expect(200);
    const before = await requests(replica, '/environments/worker');
    expect(before).toHaveLength(2);
    await eventually(
      async () => query(store, "SELECT owner FROM understudy_environments WHERE name = 'worker'"),
      ([row]) => row!['owner'] === null,
    );

    expect(await requests(replica, '/environments/worker')).toEqual(before);

    const next = (await agent(understudy.app, '', { authorization }).get(LIST)).headers;
    expect(next['understudy-request-id']).toBe('req_3'); // nothing was lost, so no number is left out
    await control.delete('/environments/worker').expect(204);
    expect((await rows(store)).map((row) => row['environment'])).not.toContain('worker');
  });

  it('keeps no calls from before a clear or a reset', async () => {
    const store = await postgres.database();
    const first = await owning(await start(store));
    const api = await first.login();
    await stored(first, 1);
    await first.control.delete('/requests').expect(204);
    await api.get(LIST).expect(200);
    await first.close();

    const second = await owning(await start(store));
    expect((await requests(second)).map(({ id }) => id)).toEqual(['req_2']);
    await second.control.post('/reset').expect(204);
    await second.close();

    const third = await owning(await start(store));
    expect(await requests(third)).toEqual([]);
    await third.login();
    expect((await requests(third)).map(({ id }) => id)).toEqual(['req_1']);
  });

  it('holds up no call and counts what is lost while nothing can be stored', async () => {
    const store = await postgres.database();
    const journal = { entries: 5, bytes: 4_000_000, redact: true };
    const first = await owning(await start(store, { journal, lease: 10_000 }));
    const api = await first.login();
    await stored(first, 1);
    const release = await holding(store, 'LOCK TABLE understudy_journal IN EXCLUSIVE MODE');

    for (let call = 0; call < 20; call += 1) await api.get(LIST).expect(200);
    await api.post(LIST).send({ display_name: 'Acme' }).expect(201);
    await eventually(
      () => first.lines.join('\n'),
      (text) => text.includes('calls of journals wait to be stored'),
    );

    expect(await counted(first, 'lost')).toBeGreaterThan(0);
    const before = await requests(first);
    expect(before).toHaveLength(5);
    await release();
    await eventually(
      () => first.lines.join('\n'),
      (text) => text.includes('the calls of journals are stored again'),
    );
    await first.close();
    expect(await requests(await owning(await start(store, { journal })))).toEqual(before);
  });

  it('must be the same for all processes of a database', async () => {
    const store = await postgres.database();
    await start(store);

    const refused = startReplica(store, { lease: 5000 });

    await expect(refused).rejects.toThrow(/were started with another --journal-store: start all of them/);
  });
});
