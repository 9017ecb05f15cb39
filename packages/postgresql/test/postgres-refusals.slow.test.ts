import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../src/database.ts';
import { openDatabase } from '../src/postgres-store.ts';
import { writeSnapshot } from '../src/stored-state.ts';
import { Tenure } from '../src/tenure.ts';
import { follow } from '../../../test/support/event-stream.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually } from '../../../test/support/process.ts';
import { holding, owning, startReplica, type Replica } from '../../../test/support/replicas.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const ROW = { region_code: 'US', metadata: {}, create_time: 'now-1d', update_time: 'now' };
const ID = 'org_12345678901234567890';

async function namesIn({ control }: Replica, environment = 'default'): Promise<string[]> {
  const listed = control.get('/state/organizations').set('understudy-environment', environment);
  const { body } = await listed.expect(200);
  return body.rows.map(({ display_name }: { display_name: string }) => display_name);
}

const put = ({ control }: Replica, display_name: string, environment = 'default') =>
  control
    .put(`/state/organizations/${ID}`)
    .set('understudy-environment', environment)
    .send({ ...ROW, display_name });

const openStore = (store: string) => openDatabase(store, { warn: () => {}, lease: 60_000, shared: {} });

/** The address of the database behind a proxy. */
async function proxied(store: string): Promise<{ proxy: TcpProxy; address: string }> {
  const address = new URL(store);
  const proxy = await TcpProxy.start(Number(address.port));
  onTestFinished(() => proxy.close());
  address.port = String(proxy.port);
  return { proxy, address: address.href };
}

/** Writes as the owner that it was before, which does not know that it has lost the environment. */
async function writeAsOldOwner(
  store: string,
  [old]: Record<string, unknown>[],
  position: number,
): Promise<string> {
  const database = await Database.open(store, { timeout: 10_000, connections: 1 });
  const { name, owner, epoch } = old as Record<'name' | 'owner' | 'epoch', string>;
  const tenure = new Tenure({ name, owner, epoch }, { ended() {}, unconfirmed() {} });
  const written = await writeSnapshot(database, tenure, position, EMPTY).then(
    () => 'written',
    () => 'lost',
  );
  await database.close();
  return written;
}

const EMPTY = { marks: {}, collections: {} };

/** Resolves once a statement waits for a lock. */
const waiting = (store: string) =>
  eventually(
    () =>
      query(
        store,
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      ),
    (found) => found.length > 0,
  );

/** The number of commits that `default` has stored. */
async function positionIn(store: string): Promise<number> {
  const [found] = await query(store, "SELECT position FROM understudy_environments WHERE name = 'default'");
  return Number(found!['position']);
}

describe.skipIf(!HAS_POSTGRES)('a database', () => {
  it('that answers, but refuses changes, gets 503 for them, and they are dropped', async () => {
    const store = await postgres.database();
    const replica = await startReplica(store, { lease: 10_000 });
    await put(replica, 'stored').expect(200);

    await query(store, 'ALTER TABLE understudy_commits RENAME TO elsewhere');
    const refused = await put(replica, 'refused').expect(503);
    await query(store, 'ALTER TABLE elsewhere RENAME TO understudy_commits');

    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body.message).toContain('relation "understudy_commits" does not exist');
    await owning(replica);
    expect(await namesIn(replica)).toEqual(['stored']);
    await put(replica, 'later').expect(200);
    expect(await namesIn(replica)).toEqual(['later']);
  });

  it('that holds up one environment holds up neither others nor heartbeats', async () => {
    const store = await postgres.database();
    const replica = await startReplica(store, { lease: 10_000 });
    await replica.control.post('/environments').send({ name: 'locked', persist: true }).expect(201);
    await put(replica, 'before', 'locked').expect(200);
    const release = await holding(
      store,
      "SELECT 1 FROM understudy_environments WHERE name = 'locked' FOR UPDATE",
    );

    const [refused, stored] = await Promise.all([put(replica, 'refused', 'locked'), put(replica, 'stored')]);

    expect([refused.status, stored.status]).toEqual([503, 200]);
    await replica.control.get('/health').expect(200);
    await release();
    await eventually(
      async () => (await put(replica, 'after', 'locked')).status,
      (status) => status === 200,
    );
    expect(await namesIn(replica, 'locked')).toEqual(['after']);
  });

  it('keeps what followers of all environments see away from them until it is stored', async () => {
    const store = await postgres.database();
    const replica = await startReplica(store);
    const stream = await follow(`${replica.url}/_control/v1/events?environments=all&kinds=state`);
    const release = await holding(store, 'SELECT 1 FROM understudy_environments FOR UPDATE');
    let isReleased = false;

    const seen = stream.until(() => true).then((events) => ({ events, isReleased }));
    const changed = put(replica, 'Acme').expect(200).then();
    await waiting(store);
    isReleased = true;
    await release();

    await changed;
    expect(await seen).toMatchObject({ isReleased: true, events: [{ event: 'state' }] });
  });

  it('whose answer comes late does not make an earlier owner show what the next one has changed', async () => {
    const store = await postgres.database();
    const { proxy, address } = await proxied(store);
    const earlier = await owning(await startReplica(address, { lease: 10_000 }));
    const next = await startReplica(store, { lease: 10_000 });
    await put(earlier, 'before').expect(200);

    proxy.passage = 'slow';
    const changing = put(earlier, 'changed').then(({ status }) => status);
    await eventually(
      async () => (await put(next, 'by the next owner')).status,
      (status) => status === 200,
    );
    const reading = earlier.control.get(`/state/organizations/${ID}`).then(({ status }) => status);
    await earlier.control.get('/environments?limit=0').expect(503);
    await earlier.control.get('/health'); // by now, the call before it waits for the database
    proxy.passage = 'open';

    expect(await reading).toBe(503);
    expect(await changing).toBe(503);
    expect(await namesIn(next)).toEqual(['by the next owner']);
  });

  it('that holds up a take-over is asked again after it, and nothing is reported', async () => {
    const store = await postgres.database();
    const old = await startReplica(store, { lease: 10_000 });
    await put(old, 'stored').expect(200);
    const next = await startReplica(store, { lease: 10_000 });
    const release = await holding(store, 'LOCK TABLE understudy_save_points IN ACCESS EXCLUSIVE MODE');
    const epoch = async () => {
      const [found] = await query(store, 'SELECT epoch FROM understudy_environments');
      return Number(found!['epoch']);
    };
    const before = await epoch();

    await old.close();
    await eventually(epoch, (now) => now >= before + 2); // the first try has failed
    await release();

    const replicas = async () => (await next.control.get('/replicas').expect(200)).body;
    await eventually(replicas, ({ unowned }) => unowned === 0);
    await owning(next);
    expect(await namesIn(next)).toEqual(['stored']);
    expect(next.lines.filter((line) => line.startsWith('error:'))).toEqual([]);
  });

  it('leaves the snapshot of a new owner alone when the old one writes its own', async () => {
    const store = await postgres.database();
    const old = await openStore(store);
    const log = await old.open('shared');
    await log.begin(EMPTY);
    const own = await query(store, 'SELECT name, owner, epoch FROM understudy_environments');
    await query(store, "UPDATE understudy_environments SET owner = 'another', epoch = epoch + 1");
    await query(
      store,
      'UPDATE understudy_environments SET snapshot = 7; UPDATE understudy_snapshots SET position = 7',
    );

    expect(await writeAsOldOwner(store, own, 7)).toBe('lost');
    expect(await writeAsOldOwner(store, own, 8)).toBe('lost');
    expect(await query(store, 'SELECT position FROM understudy_snapshots')).toEqual([{ position: '7' }]);
    await old.close();
  });

  it('stores a large state in parts, and as a whole', async () => {
    const store = await postgres.database();
    const rows = Array.from({ length: 4500 }, (_, index) => ({
      id: `org_${String(10_000_000_000_000_000_000n + BigInt(index))}`,
      ...ROW,
      display_name: `Organization ${index}`,
    }));
    const first = await startReplica(store);
    const { body: state } = await first.control.get('/state').expect(200);
    const start = await positionIn(store);
    await first.control
      .put('/state')
      .send({ ...state, organizations: rows })
      .expect(204);
    const before = (await first.control.get('/state').expect(200)).text;
    const position = await positionIn(store);

    await first.close();
    const second = await owning(await startReplica(store));

    expect((await second.control.get('/state').expect(200)).text).toBe(before);
    expect(position - start).toBeGreaterThan(3); // the rows of one commit may be in a snapshot by now
  });

  it('forgets processes that ended without a word', async () => {
    const store = await postgres.database();
    await (await openStore(store)).close();
    await query(store, "INSERT INTO understudy_replicas VALUES ('gone', now() - interval '1 hour')");

    await (await openStore(store)).close();

    expect(await query(store, 'SELECT id FROM understudy_replicas')).toEqual([]);
  });

  it('lets an environment be made again as soon as it was dropped', async () => {
    const replica = await startReplica(await postgres.database());

    for (let turn = 0; turn < 10; turn += 1) {
      await replica.control.post('/environments').send({ name: 'again', persist: true }).expect(201);
      await replica.control.delete('/environments/again').expect(204);
    }

    await replica.control.get('/environments/again').expect(404);
  });

  it('refuses a process with another seed, and takes it once the others have stopped', async () => {
    const store = await postgres.database();
    const first = await startReplica(store);

    const refused = startReplica(store, { lease: 5000, seed: 2, fixture: 'small' });

    await expect(refused).rejects.toThrow(
      /were started with another fixture, another seed: start all of them/,
    );
    await first.close();
    await owning(await startReplica(store, { seed: 2 }));
  });
});
