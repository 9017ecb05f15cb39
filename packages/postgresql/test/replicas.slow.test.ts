import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsOf } from '../../../test/support/metrics.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, freePort } from '../../../test/support/process.ts';
import { holding, owning, startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

async function start(store: string): Promise<Replica> {
  const port = await freePort();
  return startReplica(store, { port, advertise: `http://127.0.0.1:${port}` });
}

interface Listed {
  replicas: { id: string; address: string; self: boolean; alive: boolean; environments: number }[];
  environments: number;
  unowned: number;
}

const listOf = async ({ control }: Replica): Promise<Listed> =>
  (await control.get('/replicas').expect(200)).body;

const idOf = async (replica: Replica) => (await listOf(replica)).replicas.find(({ self }) => self)!.id;

describe.skipIf(!HAS_POSTGRES)('the list of replicas', () => {
  it('says who owns which environment, and what is not stored yet', async () => {
    const store = await postgres.database();
    const first = await owning(await start(store));
    const second = await start(store);
    await second.control.post('/environments').send({ name: 'worker' }).expect(201);

    const { replicas, ...counts } = await listOf(second);
    expect(counts).toEqual({ environments: 2, unowned: 0 });
    expect(replicas).toMatchObject([
      { address: first.url, self: false, alive: true, environments: 1 },
      { address: second.url, self: true, alive: true, environments: 1 },
    ]);

    // The second process asks the first, whose change the database has not stored.
    const api = await first.login();
    const release = await holding(store, 'SELECT 1 FROM understudy_environments FOR UPDATE');
    const creating = api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201).then();
    const path = `/replicas/${await idOf(first)}/environments`;
    const { body } = await eventually(
      async () => second.control.get(path),
      (answer) => answer.body.environments[0].lag > 0,
    );
    await release();
    await creating;

    expect(body.environments).toEqual([
      { name: 'default', epoch: expect.any(Number), position: expect.any(Number), lag: 1 },
    ]);
    const { body: after } = await second.control.get(path).expect(200);
    const [{ position }] = body.environments;
    expect(after.environments).toEqual([{ ...body.environments[0], position: position + 1, lag: 0 }]);
    await second.control.get('/replicas/nobody/environments').expect(404);
  });

  it('is in the metrics, with the calls that one replica forwards to another', async () => {
    const store = await postgres.database();
    const first = await owning(await start(store));
    const second = await start(store);

    const api = await second.login();
    await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const [owner, other] = [await metricsOf(first.anonymous), await metricsOf(second.anonymous)];

    expect(other.get('understudy_forwards_total{result="answered"}')).toBe(2);
    expect(other.get('understudy_forward_duration_seconds_count')).toBe(2);
    expect(other.get('understudy_replicas{state="alive"}')).toBe(2);
    expect(other.get('understudy_stored_environments')).toBe(1);
    expect(other.get('understudy_unowned_environments')).toBe(0);
    expect([owner.get('understudy_environments'), other.get('understudy_environments')]).toEqual([1, 0]);
    const created = 'api="service",operation="OrganizationService_CreateOrganization"';
    expect(owner.get(`understudy_call_duration_seconds_count{${created}}`)).toBe(1);
    expect(owner.get('understudy_commits_total{result="stored"}')).toBeGreaterThan(0);
    expect(other.has(`understudy_call_duration_seconds_count{${created}}`)).toBe(false);
  });

  it('shows a replica that has ended, and environments that nobody owns', async () => {
    const store = await postgres.database();
    const replica = await owning(await start(store));
    await query(
      store,
      "INSERT INTO understudy_replicas (id, expires_at) VALUES ('gone', clock_timestamp() + interval '1 hour')",
    );
    await query(store, "INSERT INTO understudy_environments VALUES ('lost', 7, 'gone', 3)");
    // The lock keeps the process from taking the environment over.
    const release = await holding(store, 'SELECT 1 FROM understudy_environments FOR UPDATE');
    await query(store, "UPDATE understudy_replicas SET expires_at = clock_timestamp() WHERE id = 'gone'");

    const { body: owned } = await replica.control.get('/replicas/gone/environments').expect(200);
    const { body: unowned } = await replica.control.get('/replicas/none/environments').expect(200);
    const list = await listOf(replica);
    await release();

    expect(list).toMatchObject({ environments: 2, unowned: 1 });
    expect(list.replicas.find(({ id }) => id === 'gone')).toMatchObject({ alive: false, environments: 1 });
    // Its owner cannot be asked what it has not stored.
    expect(owned).toEqual({ environments: [{ name: 'lost', epoch: 7, position: 3 }] });
    expect(unowned).toEqual(owned);
  });
});
