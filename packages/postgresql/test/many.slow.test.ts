import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from '@understudy/client/control';
import { metricsOf } from '../../../test/support/metrics.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, run } from '../../../test/support/process.ts';
import { startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

/** A database with an environment `model` and this many copies of it: env-1, env-2 and so on. */
async function databaseWith(copies: number): Promise<string> {
  const store = await postgres.database();
  const first = await startReplica(store);
  await first.control
    .post('/environments')
    .send({ name: 'model', fixture: 'empty', persist: true, clock: { mode: 'frozen' } })
    .expect(201);
  await first.close();
  const numbers = `generate_series(1, ${copies}) AS number`;
  await query(
    store,
    `INSERT INTO understudy_environments (name, life, snapshot, position, due_at, used_at, temporary, summary)
       SELECT 'env-' || number, md5('env-' || number)::uuid, snapshot, position, due_at, used_at, temporary, summary
         FROM understudy_environments, ${numbers} WHERE name = 'model';
     INSERT INTO understudy_states (life, id, part, body)
       SELECT md5('env-' || number)::uuid, s.id, s.part, s.body
         FROM understudy_states s JOIN understudy_environments e ON e.life = s.life AND e.name = 'model', ${numbers};
     INSERT INTO understudy_commits (life, position, batch, body)
       SELECT md5('env-' || number)::uuid, c.position, c.batch, c.body
         FROM understudy_commits c JOIN understudy_environments e ON e.life = c.life AND e.name = 'model', ${numbers}`,
  );
  return store;
}

const list = async ({ control }: Replica, asked: object) =>
  (await control.get('/environments').query(asked).expect(200)).body as {
    environments: { name: string }[];
    next?: string;
  };

const inMemory = async ({ anonymous }: Replica) =>
  (await metricsOf(anonymous)).get('understudy_environments') ?? 0;

describe.skipIf(!HAS_POSTGRES)('many environments in a database', () => {
  it('are listed in pages, and found by their names', async () => {
    const replica = await startReplica(await databaseWith(300));

    const page = await list(replica, { limit: 2 });

    expect(page.environments.map(({ name }) => name)).toEqual(['default', 'env-1', 'env-10']);
    expect(page.next).toBe('env-10');
    const rest = await list(replica, { limit: 1000, since: 'env-10' });
    expect([rest.environments.length, rest.next]).toEqual([299, undefined]);
    expect(await inMemory(replica)).toBe(1);
    await replica.control.get('/environments/env-299/state/hash').expect(200);
    await replica.control.post('/environments').send({ name: 'env-7' }).expect(409);
    const { body: nameless } = await replica.control.post('/environments').send({}).expect(201);
    expect(nameless.name).toMatch(/^env-(30[1-9]|3[1-9]\d|[4-9]\d\d)$/);
    await replica.control.get('/environments').query({ limit: 1001 }).expect(400);
  });

  it('are listed by the client and by the command line, which open none of them', async () => {
    const replica = await startReplica(await databaseWith(1200));
    const { environments } = new ControlClient(replica.url);

    const all = await environments.list();

    expect(new Set(all.map(({ name }) => name)).size).toBe(1202);
    expect(all).toHaveLength(1202);
    const { stdout } = await run(['env', 'list', '--url', replica.url]);
    expect(stdout.match(/^(default|model|env-\d+) /gm)).toHaveLength(1202);
    expect(await inMemory(replica)).toBe(1);
  });

  it('leave the memory of a process beyond a thousand, and come back as they were', async () => {
    const replica = await startReplica(await databaseWith(1100));
    const hash = async (number: number) =>
      (await replica.control.get(`/environments/env-${number}/state/hash`).expect(200)).body as object;
    const first = await hash(1);

    for (let number = 2; number <= 1100; number += 1) await hash(number);

    await eventually(
      () => inMemory(replica),
      (count) => count <= 1001,
    );
    expect(await hash(1)).toEqual(first);
  });
});
