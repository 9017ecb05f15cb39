import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_KEPT } from '../../../src/environment/kept.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import type { Config } from '../../../src/start/config.ts';
import { eventually } from '../../../test/support/process.ts';
import { startPeers, startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const start = (store: string, config: Partial<Config> = {}): Promise<Replica> => startReplica(store, config);

interface Listed {
  name: string;
  resting?: boolean;
  kept?: { test: string };
}

const TEST = { test: 'test/roles.test.ts > a role is created', outcome: 'failed' };

const create = ({ control }: Replica, name: string) =>
  control.post('/environments').send({ name, fixture: 'empty' }).expect(201);

const keep = ({ control }: Replica, name: string) =>
  control.post(`/environments/${name}/keep`).send(TEST).expect(200);

const list = async ({ control }: Replica, asked: object = {}): Promise<Listed[]> =>
  (await control.get('/environments').query(asked).expect(200)).body.environments;

const namesOf = (listed: readonly Listed[]) => listed.map(({ name }) => name).toSorted();

describe.skipIf(!HAS_POSTGRES)('an environment that is kept for a test, in a database', () => {
  it('is not dropped when nobody uses it', async () => {
    const store = await postgres.database();
    const replica = await start(store, { environmentTtl: 1000 });
    for (const name of ['failed', 'other']) await create(replica, name);
    await keep(replica, 'failed');

    const left = await eventually(
      () => list(replica),
      (listed) => !namesOf(listed).includes('other'),
    );

    expect(left).toMatchObject([{ name: 'default' }, { name: 'failed', kept: { test: TEST.test } }]);
  });

  it('is found by its test after all processes have ended, and outlives the time of others', async () => {
    const store = await postgres.database();
    const first = await start(store);
    for (const name of ['failed', 'other']) await create(first, name);
    await keep(first, 'failed');
    await first.close();

    const second = await start(store, { environmentTtl: 1000 });
    await eventually(
      () => list(second),
      (listed) => !namesOf(listed).includes('other'),
    );

    const [found, ...others] = await list(second, { test: 'roles created' });
    expect(found).toMatchObject({ name: 'failed', resting: true, kept: TEST });
    expect(others).toEqual([]);
    expect(await list(second, { test: 'another' })).toEqual([]);
    const { body } = await second.control.get('/environments/failed').expect(200); // wakes it
    expect(body.kept).toEqual(found!.kept);
    expect(await list(second, { test: 'roles created' })).toMatchObject([{ name: 'failed', kept: TEST }]);
  });

  it('is not kept if the database does not say so to the other processes', async () => {
    const store = await postgres.database();
    const replica = await start(store);
    await create(replica, 'failed');
    await query(store, 'ALTER TABLE understudy_environments RENAME COLUMN kept_at TO kept_at_before');
    await replica.control.post('/environments/failed/keep').send(TEST).expect(503);

    await query(store, 'ALTER TABLE understudy_environments RENAME COLUMN kept_at_before TO kept_at');

    expect(await list(replica, { test: '' })).toEqual([]);
    await keep(replica, 'failed');
    expect(namesOf(await list(replica, { test: '' }))).toEqual(['failed']);
  });

  it('is one of fifty, whichever replicas have them', async () => {
    const [first, second] = await startPeers(await postgres.database());
    const names = Array.from({ length: MOST_KEPT + 2 }, (_, index) => `worker-${index}`);
    const replicas = names.map((_, index) => [first, second][index % 2]!);
    for (const [index, name] of names.entries()) {
      await create(replicas[index]!, name);
      await keep(replicas[(index + 1) % names.length]!, name);
    }

    const kept = names.slice(2).toSorted();
    for (const replica of [first, second])
      expect(namesOf(await list(replica, { test: 'role' }))).toEqual(kept);
    await first.control.get('/environments/worker-0').expect(404);
    await second.control.get('/environments/worker-1').expect(404);
  });
});
