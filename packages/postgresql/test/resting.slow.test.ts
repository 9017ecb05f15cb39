import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from '@understudy/client/control';
import type { Config } from '../../../src/start/config.ts';
import { agent, tokenOf } from '../../../test/support/boot.ts';
import { follow } from '../../../test/support/event-stream.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, freePort, run } from '../../../test/support/process.ts';
import { receiver } from '../../../test/support/receiver.ts';
import { owning, startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const QUICKLY = { restAfter: 1000 };

const start = (store: string, config: Partial<Config> = {}) => startReplica(store, { ...QUICKLY, ...config });

/** Other processes forward calls to it. */
async function startReachable(store: string, config: Partial<Config> = {}): Promise<Replica> {
  const port = await freePort();
  return start(store, { port, advertise: `http://127.0.0.1:${port}`, ...config });
}

interface Listed {
  name: string;
  resting?: boolean;
  client_id: string;
  client_secret: string;
  created_at: string;
  rows: number;
}

async function list(
  { control }: Replica,
  asked: object = {},
): Promise<{ environments: Listed[]; next?: string }> {
  return (await control.get('/environments').query(asked).expect(200)).body;
}

const namesOf = (environments: readonly Listed[], isResting: boolean) =>
  environments.filter(({ resting = false }) => resting === isResting).map(({ name }) => name);

/** Resolves once these environments rest. */
async function resting(replica: Replica, ...names: string[]): Promise<Listed[]> {
  const { environments } = await eventually(
    () => list(replica),
    (found) => names.every((name) => namesOf(found.environments, true).includes(name)),
  );
  return environments.filter(({ name }) => names.includes(name));
}

const create = async ({ control }: Replica, name: string, wanted: object = {}) =>
  (
    await control
      .post('/environments')
      .send({ name, fixture: 'empty', persist: true, ...wanted })
      .expect(201)
  ).body as Listed;

const FROZEN = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };

const failing = (name: string, rule: object) => ({
  name,
  rules: [{ on: 'OrganizationService_ListOrganization', ...rule, reply: { error: 'unavailable' } }],
});

const named = (name: string) => ({ 'understudy-environment': name });

const stored = async (store: string, name: string, columns: string) =>
  (await query(store, `SELECT ${columns} FROM understudy_environments WHERE name = '${name}'`))[0]!;

/** Adds copies of a resting environment, with other names. */
const copies = (store: string, from: string, count: number) =>
  query(
    store,
    `INSERT INTO understudy_environments (name, epoch, position, snapshot, due_at, used_at, temporary, summary)
       SELECT 'env-' || number, epoch, position, snapshot, due_at, used_at, temporary, summary
         FROM understudy_environments, generate_series(1, ${count}) AS number WHERE name = '${from}';
     INSERT INTO understudy_snapshots SELECT 'env-' || number, position, part, body
       FROM understudy_snapshots, generate_series(1, ${count}) AS number WHERE environment = '${from}';
     INSERT INTO understudy_commits SELECT 'env-' || number, position, epoch, body
       FROM understudy_commits, generate_series(1, ${count}) AS number WHERE environment = '${from}'`,
  );

describe.skipIf(!HAS_POSTGRES)('an environment that nobody uses', () => {
  it('is put to rest, and wakes with everything that it had', async () => {
    const store = await postgres.database();
    const replica = await start(store);
    const made = await create(replica, 'worker');
    const api = agent(replica.understudy.app, '', {
      authorization: `Bearer ${await tokenOf(replica.understudy.app, made)}`,
    });
    await api.post('/api/v1/organizations').send({ display_name: 'Acme', external_id: 'acme' }).expect(201);
    const { app } = replica.understudy;
    const hash = async () => (await replica.control.get('/environments/worker/state/hash').expect(200)).body;
    const before = await hash();

    const [listed] = await resting(replica, 'worker');

    expect(listed).toMatchObject({ client_id: made.client_id, client_secret: made.client_secret });
    expect(listed!.rows).toBeGreaterThan(0);
    expect(await stored(store, 'worker', 'owner, due_at')).toEqual({ owner: null, due_at: Infinity });
    expect(await hash()).toEqual(before);
    expect((await replica.control.get('/environments/worker').expect(200)).body.created_at).toBe(
      made.created_at,
    );
    const wakers = {
      token: () => api.get('/api/v1/organizations').expect(200),
      client: () => tokenOf(app, made),
      host: () => agent(app, '', { host: 'worker.localhost' }).get('/').expect(200),
    };
    for (const wake of Object.values(wakers)) {
      await resting(replica, 'worker');
      await wake();
      expect(namesOf((await list(replica)).environments, false)).toContain('worker');
    }
    const { body } = await api.get('/api/v1/organizations').expect(200);
    expect(body.organizations).toMatchObject([{ external_id: 'acme' }]);
    await resting(replica, 'worker');
    await replica.control.delete('/environments/worker').expect(204);
    await replica.control.get('/environments/worker').expect(404);
  });

  it('keeps loaded scenarios with their counts, the window of a rate limit, and snapshots', async () => {
    const replica = await start(await postgres.database());
    const made = await create(replica, 'worker', { clock: FROZEN });
    const control = agent(replica.understudy.app, '/_control/v1', named('worker'));
    const api = agent(replica.understudy.app, '', {
      authorization: `Bearer ${await tokenOf(replica.understudy.app, made)}`,
    });
    const call = async () => (await api.get('/api/v1/organizations')).status;
    const loaded = async () => (await control.get('/scenarios').expect(200)).body.loaded;
    await control
      .post('/scenarios')
      .send(failing('used', { times: 2 }))
      .expect(201);
    await control
      .post('/scenarios')
      .send(failing('counted', { after: 9 }))
      .expect(201);
    await control.post('/snapshots').send({ name: 'here' }).expect(201);
    await control
      .patch('/state/settings/settings')
      .send({ rate_limit: { requests: 4, per: '1m' } })
      .expect(200);
    expect([await call(), await call(), await call()]).toEqual([503, 503, 200]);
    const known = await loaded();

    await resting(replica, 'worker');

    expect(await loaded()).toEqual(known);
    expect([await call(), await call()]).toEqual([200, 429]);
    await resting(replica, 'worker');
    await control.post('/snapshots/here/restore').expect(204);
    expect([await call(), await call(), await call()]).toEqual([503, 503, 200]);
    await control.delete('/snapshots/here').expect(204);
  });

  it('goes back to the start of a fork with a reset, and keeps the credentials of the fork', async () => {
    const replica = await startReachable(await postgres.database());
    const origin = await create(replica, 'origin', { seed: 7 });
    const { app } = replica.understudy;
    const add = async (made: Listed, display_name: string) =>
      agent(app, '', { authorization: `Bearer ${await tokenOf(app, made)}` })
        .post('/api/v1/organizations')
        .send({ display_name })
        .expect(201);
    await add(origin, 'Before');
    const { body: fork } = await replica.control
      .post('/environments/origin/fork')
      .send({ name: 'fork' })
      .expect(201);
    const hash = async () => (await replica.control.get('/environments/fork/state/hash').expect(200)).body;
    const before = await hash();
    await add(fork, 'After');

    const [listed] = await resting(replica, 'fork');

    expect(listed).toMatchObject({ client_id: fork.client_id, client_secret: fork.client_secret });
    await add(fork, 'Later');
    await replica.control.post('/environments/fork/reset').expect(204);
    expect(await hash()).toEqual(before);
  });

  it('wakes once for calls that come together, at the process that takes the first', async () => {
    const store = await postgres.database();
    const first = await owning(await startReachable(store));
    const second = await startReachable(store);
    await create(first, 'worker');
    await resting(second, 'worker');
    const { epoch } = await stored(store, 'worker', 'epoch');

    const replicas = Array.from({ length: 20 }, (_, index) => [first, second][index % 2]!);
    const calls = replicas.map(
      async ({ control }) => (await control.get('/environments/worker/clock')).status,
    );

    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    expect(await stored(store, 'worker', 'epoch')).toEqual({ epoch: String(Number(epoch) + 1) });
    for (const each of [first, second])
      expect(namesOf((await list(each)).environments, false)).toContain('worker');
  });

  it('wakes by itself for a delivery that has to be repeated', async () => {
    const store = await postgres.database();
    const replica = await start(store);
    const hook = await receiver((response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(500).end(),
    );
    await create(replica, 'worker');
    const api = agent(replica.understudy.app, '/_control/v1', named('worker'));
    await api.post('/webhooks/endpoints').send({ url: hook.url }).expect(201);
    await api.post('/webhooks/events').send({ type: 'organization.created' }).expect(201);
    await hook.came(1);
    await resting(replica, 'worker');
    hook.answers({});

    await hook.came(2);

    expect(hook.received[1]!.headers['webhook-id']).toBe(hook.received[0]!.headers['webhook-id']);
  });

  it('is due in the time of its own clock, and never if that is frozen', async () => {
    const store = await postgres.database();
    const replica = await start(store);
    const due = 'round(extract(epoch FROM due_at - now())) AS seconds';
    await replica.control
      .post('/environments')
      .send({ name: 'ahead', fixture: 'default', persist: true })
      .expect(201);
    const ahead = agent(replica.understudy.app, '/_control/v1', named('ahead'));
    const { body: timeline } = await ahead.get('/clock/timeline?limit=1000').expect(200);
    const item = timeline.due.find(({ kind }: { kind: string }) => kind === 'change');
    const { body: clock } = await ahead.get('/clock').expect(200);
    await ahead
      .post('/clock/advance')
      .send({ by: `${Date.parse(item.at) - Date.parse(clock.now) - 90_000}ms` })
      .expect(200);
    await replica.control
      .post('/environments')
      .send({
        name: 'frozen',
        fixture: 'default',
        persist: true,
        clock: FROZEN,
      })
      .expect(201);

    await resting(replica, 'ahead', 'frozen');

    const { seconds } = await stored(store, 'ahead', due);
    expect(Number(seconds)).toBeGreaterThan(30);
    expect(Number(seconds)).toBeLessThanOrEqual(90);
    expect(await stored(store, 'frozen', 'due_at')).toEqual({ due_at: Infinity });
  });

  it('stays awake while it is needed', async () => {
    const store = await postgres.database();
    const replica = await start(store);
    const hanging = await receiver(() => {});
    const names = ['waiting', 'followed', 'sending'];
    for (const name of [...names, 'idle']) await create(replica, name);
    const of = (name: string) => agent(replica.understudy.app, '/_control/v1', named(name));
    const waiting = of('waiting')
      .get('/mail/wait?to=ada@acme.example&timeout=60s')
      .then((answer) => answer);
    await follow(`${replica.url}/_control/v1/events`, named('followed'));
    await of('sending').post('/webhooks/endpoints').send({ url: hanging.url }).expect(201);
    await of('sending').post('/webhooks/events').send({ type: 'organization.created' }).expect(201);
    await create(replica, 'later');

    await resting(replica, 'idle', 'later');

    expect(namesOf((await list(replica)).environments, false).toSorted()).toEqual(
      ['default', ...names].toSorted(),
    );
    await of('waiting').delete('/environments/waiting').expect(204);
    expect((await waiting).status).toBe(410);
  });

  it('is the first to rest if more than --max-awake are awake', async () => {
    const replica = await start(await postgres.database(), {
      restAfter: Infinity,
      maxAwake: 2,
      maxEnvironments: 2,
    });
    for (const name of ['one', 'two', 'three']) await create(replica, name);
    await replica.control.get('/environments/one').expect(200);
    await create(replica, 'four');

    await resting(replica, 'two', 'three');

    expect(namesOf((await list(replica)).environments, false)).toEqual(['default', 'one', 'four']);
  });

  it('is dropped after the time of --environment-ttl unless it was made with persist', async () => {
    const store = await postgres.database();
    const replica = await startReachable(store, { environmentTtl: 4000 });
    await create(replica, 'kept');
    await create(replica, 'temporary', { persist: false });
    await resting(replica, 'kept');

    const { environments } = await eventually(
      () => list(replica),
      (found) => !namesOf(found.environments, true).includes('temporary'),
    );

    expect(namesOf(environments, true)).toEqual(['kept']);
    const { body } = await replica.control.get('/environments/temporary').expect(404);
    expect(body.message).toContain('it was not used for the time of --environment-ttl');
    expect(await query(store, "SELECT 1 FROM understudy_snapshots WHERE environment = 'temporary'")).toEqual(
      [],
    );
  });
});

describe.skipIf(!HAS_POSTGRES)('environments that rest', () => {
  it('are left alone by the next process, which lists them in pages', async () => {
    const store = await postgres.database();
    const first = await start(store);
    await create(first, 'model');
    await resting(first, 'model');
    await copies(store, 'model', 300);
    await first.close();

    const next = await owning(await start(store));

    const page = await list(next, { limit: 2 });
    expect(namesOf(page.environments, true)).toEqual(['env-1', 'env-10']);
    expect(page.next).toBe('env-10');
    const rest = await list(next, { limit: 1000, since: 'env-10' });
    expect([rest.environments.length, rest.next]).toEqual([299, undefined]);
    const { body: replicas } = await next.control.get('/replicas').expect(200);
    expect(replicas).toMatchObject({ environments: 302, unowned: 301 });
    expect(await query(store, 'SELECT name FROM understudy_environments WHERE owner IS NOT NULL')).toEqual([
      { name: 'default' },
    ]);
    await next.control.get('/environments/env-299/state/hash').expect(200);
    await next.control.post('/environments').send({ name: 'env-7' }).expect(409);
    const { body: nameless } = await next.control.post('/environments').send({}).expect(201);
    expect(nameless.name).toMatch(/^env-(30[1-9]|3[1-9]\d|[4-9]\d\d)$/);
    await next.control.get('/environments').query({ limit: 1001 }).expect(400);
  });

  it('are listed by the client and by the command line, which wake none of them', async () => {
    const store = await postgres.database();
    const replica = await owning(await start(store));
    await create(replica, 'model');
    await resting(replica, 'model');
    await copies(store, 'model', 1200);
    const { environments } = new ControlClient(replica.url);

    const all = await environments.list();

    expect(all).toHaveLength(1202);
    expect(new Set(all.map(({ name }) => name)).size).toBe(1202);
    expect((await environments.list({ resting: 1 })).map(({ name }) => name)).toEqual(['default', 'env-1']);
    expect(await environments.list({ resting: 0 })).toHaveLength(1);
    const { stdout } = await run(['env', 'list', '--url', replica.url]);
    expect(stdout.match(/^default .*\d$|^\S+ .* {2}at rest$/gm)).toHaveLength(1202);
    expect(await query(store, 'SELECT name FROM understudy_environments WHERE owner IS NOT NULL')).toEqual([
      { name: 'default' },
    ]);
  });

  it('are opened by another process if their owner has ended without a word', async () => {
    const store = await postgres.database();
    const first = await start(store, { restAfter: Infinity });
    await create(first, 'left');
    const second = await start(store, { restAfter: Infinity });
    await query(store, "UPDATE understudy_environments SET owner = 'gone' WHERE name = 'left'");

    await eventually(
      () => stored(store, 'left', 'owner'),
      ({ owner }) => owner !== 'gone',
    );

    const answers = await Promise.all(
      [first, second].map(({ control }) => control.get('/environments/left')),
    );
    expect(answers.map(({ status }) => status)).toContain(200);
  });
});
