import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_PGBOUNCER, HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, run, serve, type Service } from '../../../test/support/process.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

/** Starts a process on the database. */
const replica = (store: string, ...args: string[]): Promise<Service> =>
  serve(['--store', store, '--fixture', 'empty', ...args]);

/** Resolves once this process owns `default`. */
async function owning(service: Service): Promise<Service> {
  await eventually(
    async () => (await service.control.get('/state/organizations')).status,
    (status) => status === 200,
  );
  return service;
}

/** The names of all organizations. */
async function organizationsOf({ control }: Service): Promise<string[]> {
  const { body } = await control.get('/state/organizations').expect(200);
  return body.rows.map(({ display_name }: { display_name: string }) => display_name);
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: { message: string };
}

type Api = Awaited<ReturnType<Service['login']>>;

const create = async (api: Api, display_name: string): Promise<Answer> =>
  await api.post('/api/v1/organizations').send({ display_name });

async function killed(service: Service): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

const namesUpTo = (count: number) => Array.from({ length: count }, (_, index) => `Organization ${index}`);

interface Listener {
  onCreated?: (count: number) => void;
  onRefused?: () => void;
}

/** Creates organizations over several connections at once, and repeats each call that gets 503. Returns these answers. */
async function createAll(
  names: readonly string[],
  apis: readonly Api[],
  { onCreated, onRefused }: Listener = {},
) {
  const [left, refusals] = [[...names], [] as (Answer & { name: string })[]];
  let created = 0;
  const connection = async (turn: number) => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      for (let attempt = turn; ; attempt += 1) {
        const answer = await create(apis[attempt % apis.length]!, name);
        if (answer.status === 201) {
          onCreated?.((created += 1));
          break;
        }
        expect(answer.status).toBe(503);
        const { status, headers, body } = answer;
        refusals.push({ status, headers, body, name });
        onRefused?.();
      }
  };
  await Promise.all([0, 1, 2, 3].map(connection));
  return refusals;
}

describe.skipIf(!HAS_POSTGRES)('a database', () => {
  it('keeps what was answered after kill -9', async () => {
    const store = await postgres.database();
    const service = await replica(store);
    const api = await service.login();
    const answered: string[] = [];
    const names = namesUpTo(200);
    const connection = async () => {
      for (let name = names.shift(); name !== undefined; name = names.shift()) {
        await api.post('/api/v1/organizations').send({ display_name: name }).expect(201);
        if (answered.push(name) === 100) service.kill('SIGKILL');
      }
    };

    await Promise.allSettled([connection(), connection(), connection(), connection()]);
    await killed(service);
    const again = await owning(await replica(store));

    const found = await organizationsOf(again);
    expect(found).toEqual(expect.arrayContaining(answered));
    expect(new Set(found).size).toBe(found.length);
    expect(found.length - answered.length).toBeLessThanOrEqual(4);
  });

  it('keeps ids, clock, mails, deliveries with their retry times, and environments', async () => {
    const store = await postgres.database();
    const hook = ['--webhook', 'http://127.0.0.1:9/', '--log-level', 'error'];
    const first = await replica(store, ...hook);
    const { control } = first;
    await control.put('/clock').send({ mode: 'frozen', at: '2031-05-05T05:05:05Z' }).expect(200);
    await control.post('/environments').send({ name: 'worker', fixture: 'small', persist: true }).expect(201);
    const api = await first.login();
    const { body: made } = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    await api
      .post(`/api/v1/organizations/${made.organization.id}/users`)
      .query({ send_invitation_email: true })
      .send({ email: 'ann@acme.example' })
      .expect(201);
    const collections = ['organizations', 'users', 'mails', 'events', 'webhook_deliveries', 'clients'];
    const state = async (service: Service) =>
      Promise.all(collections.map(async (each) => (await service.control.get(`/state/${each}`)).body.rows));
    const tried = (rows: unknown[][]) =>
      (rows[4] as { status: string }[]).every(({ status }) => status === 'RETRYING');
    const before = await eventually(() => state(first), tried);
    await killed(first);

    const second = await owning(await replica(store, ...hook));

    expect(await state(second)).toEqual(before);
    expect(before[2]).not.toEqual([]);
    expect((await second.control.get('/clock').expect(200)).body.now).toBe('2031-05-05T05:05:05.000Z');
    const { body: worker } = await eventually(
      async () => second.control.get('/environments/worker'),
      ({ status }) => status === 200, // 503 until it is taken over too
    );
    expect(worker.rows).toBeGreaterThan(0);
    const next = await (await second.login()).post('/api/v1/organizations').send({ display_name: 'Next' });
    expect(next.status).toBe(201);
    await second.stop();
  });

  it('takes an environment whose name several calls want at once from one of them, and remembers its drop', async () => {
    const store = await postgres.database();
    const { control } = await replica(store);
    const wanted = () => control.post('/environments').send({ name: 'dd', seed: 5, persist: true });

    const answers = await Promise.all(Array.from({ length: 6 }, wanted));

    const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect([first!.status, ...others.map(({ status }) => status)]).toEqual([201, 409, 409, 409, 409, 409]);
    const { body: made } = first!;
    await control.get('/environments/dd').expect(200);
    await control.delete('/environments/dd').expect(204);
    const later = await replica(store);
    const { body: again } = await later.control
      .post('/environments')
      .send({ name: 'dd', seed: 5, persist: true })
      .expect(201);
    expect(again.client_secret).not.toBe(made.client_secret);
    const { client_id, client_secret } = made as Record<string, string>;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    await later.anonymous.post('/oauth/token').type('form').send(form).expect(401);
  });

  it('that goes away is answered for with 503, and loses and doubles no write', async () => {
    const store = await postgres.database();
    const service = await owning(await replica(store));
    const names = namesUpTo(150);
    let isAway = false;

    const refusals = await createAll(names, [await service.login()], {
      onCreated: (count) => {
        if (count !== 50) return;
        postgres.crash();
        isAway = true;
      },
      onRefused: () => {
        if (!isAway) return;
        postgres.resume();
        isAway = false;
      },
    });

    expect((await organizationsOf(await owning(service))).toSorted()).toEqual(names.toSorted());
    expect(refusals).not.toEqual([]);
    expect(refusals[0]!.headers['retry-after']).toBe('1');
    expect(refusals[0]!.body.message).toMatch(/^database postgres:\/\/tester@127.0.0.1:\d+\/test\d+/);
    for (const said of ['calls are refused until it answers', 'answers again'])
      await eventually(service.stderr, (text) => text.includes(said));
  });

  it('that is away makes the health check fail', async () => {
    const service = await replica(await postgres.database());
    const health = async () => service.control.get('/health');
    await eventually(health, ({ status }) => status === 200);

    postgres.crash();
    const refused = await eventually(health, ({ status }) => status === 503);
    postgres.resume();

    expect(refused.body.message).toMatch(/^database postgres:\/\/.* cannot be reached: try again$/);
    await eventually(health, ({ status }) => status === 200);
  });

  it('gets its tables from one of several processes that start at once', async () => {
    const store = await postgres.database();

    const replicas = await Promise.all([replica(store), replica(store)]);

    const [first, second] = replicas;
    await create(await first.login(), 'Acme');
    expect(await organizationsOf(second)).toEqual(['Acme']);
    await first.stop();
    expect(await organizationsOf(second)).toEqual(['Acme']);
  });

  it('goes on to serve while a process is stopped, which then shows what others have changed', async () => {
    const store = await postgres.database();
    const [first, second] = [await replica(store), await replica(store)];
    const names = namesUpTo(100);
    const token = await first.login();
    const { body } = await first.anonymous.post('/oauth/token').type('form').send({
      grant_type: 'client_credentials',
      client_id: first.client_id,
      client_secret: first.client_secret,
    });
    const other = {
      ...second.anonymous,
      post: (path: string) =>
        second.anonymous.post(path).set('authorization', `Bearer ${body.access_token as string}`),
    } as Api;

    const refusals = await createAll(names, [token, other], {
      onCreated: (count) => {
        if (count !== 40) return;
        first.kill('SIGSTOP');
        setTimeout(() => first.kill('SIGCONT'), 3000);
      },
    });

    await owning(second);
    const stored = await organizationsOf(second);
    expect([...new Set(stored)].toSorted()).toEqual(names.toSorted());
    // A change on its way to the database when its process was stopped may be stored, although its call got 503.
    const unknown = refusals.map(({ name }) => name);
    expect(unknown).toEqual(expect.arrayContaining(stored.filter((name, at) => stored.indexOf(name) !== at)));
    expect(await organizationsOf(first)).toEqual(stored);
  });

  it('may stand behind PgBouncer in transaction mode', async (context) => {
    if (!HAS_PGBOUNCER) context.skip();
    const store = await postgres.pooled();
    const [first, second] = await Promise.all([replica(store), replica(store)]);
    const owner = (await first.control.get('/state/organizations')).status === 200 ? first : second;
    const other = owner === first ? second : first;
    await createAll(namesUpTo(40), [await owner.login()]);

    await killed(owner);

    expect((await organizationsOf(await owning(other))).toSorted()).toEqual(namesUpTo(40).toSorted());
  });

  it('with newer tables than the program knows is refused', async () => {
    const store = await postgres.database();
    await (await replica(store)).stop();
    await query(store, 'UPDATE understudy_schema SET version = 99');

    const { code, stderr } = await run(['serve', '--store', store, '--port', '0']);

    expect(code).toBe(1);
    expect(stderr).toContain('has tables of version 99, and this version of Understudy knows');
  });
});

describe('the address of a database', () => {
  it('shows its password nowhere', async () => {
    const { code, stdout, stderr } = await run([
      'serve',
      '--store',
      'postgres://ann:hunter2@127.0.0.1:9/app',
      '--port',
      '0',
    ]);

    expect(code).toBe(1);
    expect(stderr).toBe(
      'understudy: database postgres://ann@127.0.0.1:9/app: connect ECONNREFUSED 127.0.0.1:9\n',
    );
    expect(stdout).toBe('');
  });

  it('that is none is refused without being shown', async () => {
    const { code, stderr } = await run(['serve', '--store', 'mysql://ann:hunter2@db/app', '--port', '0']);

    expect(code).toBe(1);
    expect(stderr).toBe(
      'understudy: --store is not the address of a database: postgres://user@host:5432/database\n',
    );
  });

  it('excludes --memory', async () => {
    const { code, stderr } = await run(['serve', '--memory', '--store', 'postgres://db/app', '--port', '0']);

    expect(code).toBe(1);
    expect(stderr).toBe('understudy: --store and --memory exclude each other\n');
  });
});
