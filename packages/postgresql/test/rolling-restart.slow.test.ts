import { Agent as HttpAgent, request } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually, freePort, serve, type Service } from '../../../test/support/process.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const ENVIRONMENTS = ['default', 'worker-1', 'worker-2'];
const CLIENTS = 6;

async function start(store: string, port: number): Promise<Service> {
  return serve(['--store', store, '--port', `${port}`, '--fixture', 'empty']);
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

/** Sends calls over connections that stay open, as most clients do. */
class Caller {
  readonly #agent = new HttpAgent({ keepAlive: true });

  constructor() {
    onTestFinished(() => this.#agent.destroy());
  }

  call(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers: got } = response;
          resolve({ status, retryAfter: got['retry-after'], text });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** What the clients have seen. */
class Tally {
  readonly created = new Map<string, string[]>(ENVIRONMENTS.map((name) => [name, []]));
  readonly problems: string[] = [];
  /** Why replicas were not healthy. */
  readonly ailments = new Set<string>();
  count = 0;
  retries = 0;
  isOver = false;
}

interface Load {
  urls: readonly string[];
  tokens: ReadonlyMap<string, string>;
  tally: Tally;
}

/** Creates organizations, each once, until the load is over. Sends nothing to a replica that is not healthy. */
class Client {
  readonly #load: Load;
  readonly #caller = new Caller();
  #turn: number;
  /** When it last asked whether a replica is healthy. */
  #askedAt = 0;

  constructor(number: number, load: Load) {
    this.#load = load;
    this.#turn = number;
  }

  async run(): Promise<void> {
    const { tally } = this.#load;
    const number = this.#turn;
    for (; !tally.isOver; tally.count += 1) {
      const environment = ENVIRONMENTS[tally.count % ENVIRONMENTS.length]!;
      const name = `${number}-${tally.count}-${tally.created.get(environment)!.length}`;
      await this.#create(environment, name).catch((thrown: Error) => tally.problems.push(thrown.message));
    }
  }

  /** A call that was answered with 503 and `retry-after` has not happened. */
  async #create(environment: string, name: string): Promise<void> {
    const { tokens, tally } = this.#load;
    const authorization = `Bearer ${tokens.get(environment)!}`;
    const headers = { authorization, 'content-type': 'application/json' };
    for (;;) {
      const url = await this.#healthy();
      const body = JSON.stringify({ display_name: name });
      const calling = this.#caller.call(`${url}/api/v1/organizations`, 'POST', headers, body);
      const answer = await calling.catch((thrown: NodeJS.ErrnoException) => {
        // This client was paused: load balancers do not trust what they learned so long ago.
        if (thrown.code === 'ECONNREFUSED' && performance.now() - this.#askedAt > 1000) return undefined;
        throw thrown;
      });
      if (answer === undefined) continue;
      if (answer.status === 201) return void tally.created.get(environment)!.push(name);
      if (answer.status !== 503 || answer.retryAfter !== '1') throw new Error(JSON.stringify(answer));
      tally.retries += 1;
    }
  }

  /** The replicas in turns, as load balancers choose them. */
  async #healthy(): Promise<string> {
    const { urls, tally } = this.#load;
    for (;;) {
      this.#turn += 1;
      const url = urls[this.#turn % urls.length]!;
      this.#askedAt = performance.now();
      const health = await this.#caller.call(`${url}/_control/v1/health`, 'GET').catch(() => undefined);
      if (health?.status === 200) return url;
      if (health) tally.ailments.add((JSON.parse(health.text) as { message: string }).message);
    }
  }
}

/** A token of the environment. */
async function makeEnvironment({ control, anonymous }: Service, name: string): Promise<string> {
  if (name !== 'default') await control.post('/environments').send({ name, persist: true }).expect(201);
  const { body } = await control.get(`/environments/${name}`).expect(200);
  const { client_id, client_secret } = body;
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const answer = await anonymous.post('/oauth/token').type('form').send(form).expect(200);
  return answer.body.access_token as string;
}

describe.skipIf(!HAS_POSTGRES)('a rolling restart', () => {
  it('loses no call', async () => {
    const store = await postgres.database();
    const ports = [await freePort(), await freePort()];
    const services = [await start(store, ports[0]!), await start(store, ports[1]!)];
    const tokens = new Map<string, string>();
    for (const [index, name] of ENVIRONMENTS.entries())
      tokens.set(name, await makeEnvironment(services[index % 2]!, name));
    const tally = new Tally();
    const urls = services.map(({ url }) => url);
    const load = Array.from({ length: CLIENTS }, (_, number) =>
      new Client(number, { urls, tokens, tally }).run(),
    );
    const further = async (calls: number) => {
      const wanted = tally.count + calls;
      await eventually(
        () => tally.count,
        (count) => count >= wanted,
      );
    };
    for (const index of [0, 1]) {
      await further(200);
      const { code, stderr } = await services[index]!.stop();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await further(200);
      services[index] = await start(store, ports[index]!);
    }
    await further(200);
    tally.isOver = true;
    await Promise.all(load);

    expect(tally.problems).toEqual([]);
    expect(tally.ailments).toContain('understudy is stopping');
    for (const [name, created] of tally.created) {
      const { body } = await services[0]!.control
        .get('/state/organizations')
        .set('understudy-environment', name)
        .expect(200);
      const found = body.rows.map(({ display_name }: { display_name: string }) => display_name);
      expect(found.toSorted()).toEqual(created.toSorted());
    }
  });
});

/** Holds back every look of a process at the database, until the returned function is called. */
async function holdBackLooks(store: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client(store);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
    CREATE TRIGGER looks BEFORE UPDATE ON understudy_processes EXECUTE FUNCTION wait();
    SELECT pg_advisory_lock(1)`);
  return () => client.query('SELECT pg_advisory_unlock(1)');
}

/** Another one after each change of the row of an environment. */
const versionOf = async (store: string): Promise<unknown> =>
  (await query(store, "SELECT xmin FROM understudy_environments WHERE name = 'worker'"))[0]?.['xmin'];

const looksThatWait = async (store: string): Promise<number> =>
  (await query(store, "SELECT FROM pg_stat_activity WHERE wait_event = 'advisory'")).length;

describe.skipIf(!HAS_POSTGRES)('a process that stops', () => {
  it('lets its look at the database come to its end, and says nothing', async () => {
    const store = await postgres.database();
    const service = await start(store, await freePort());
    await service.control.post('/environments').send({ name: 'worker', persist: true }).expect(201);
    const letGo = await holdBackLooks(store);
    await eventually(
      () => looksThatWait(store),
      (count) => count > 0,
    );
    const before = await versionOf(store);
    const stopped = service.stop();
    await eventually(
      () => versionOf(store), // the environment is closed
      (version) => version !== before,
    );
    await letGo();
    expect(await stopped).toMatchObject({ code: 0, stderr: '' });
  });
});
