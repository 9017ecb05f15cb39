import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { Generator } from '../../src/state/ids.ts';
import { HAS_POSTGRES, Postgres, query } from '../support/postgres.ts';
import { eventually } from '../support/process.ts';
import { Caller, list, type Shared } from './caller.ts';
import { Cluster } from './cluster.ts';
import { EnvironmentCaller } from './environment-caller.ts';
import { EnvironmentsClient } from './environments-client.ts';
import { History, Order } from './history.ts';
import { OrganizationsClient } from './organizations-client.ts';
import { HAS_FAKETIME } from './replica-process.ts';
import { scheduleOf, shownFault, type Fault } from './schedule.ts';

const FAULTS = Number(process.env['REPLICAS_FAULTS'] ?? 20);
const SEED = process.env['REPLICAS_SEED'] ?? '1';
const REPLICAS = 3;
const LEASE = 2000;
const ENVIRONMENTS = ['default', 'first', 'second', 'third'];
const CALLERS_OF_EACH = 6;
/** They create and drop environments. */
const ENVIRONMENT_CALLERS = 4;
/** Milliseconds after which a caller gives up: one wait is longer than the longest pause; with the others, callers continue at another replica. */
const LONGEST_PATIENCE = 4 * LEASE;
const PATIENCE = [0.3 * LEASE, 0.3 * LEASE, LONGEST_PATIENCE];

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

interface Credentials {
  client_id: string;
  client_secret: string;
}

/** Calls until the answer is not 503: a lease may end on a busy machine. */
const answerOf = (url: string, init?: RequestInit): Promise<Response> =>
  eventually(
    () => fetch(url, init),
    ({ status }) => status !== 503,
  );

async function jsonOf<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await answerOf(url, init);
  expect(response.ok, `${url}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
}

/** Creates the environment at one of the replicas, which then owns it. */
async function createEnvironment(url: string, name: string): Promise<Credentials> {
  if (name === 'default') return KNOWN_CREDENTIALS;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name, fixture: 'empty', persist: true });
  const environments = `${url}/_control/v1/environments`;
  await answerOf(environments, { method: 'POST', headers, body }); // 409 if 503 came although it was created
  return jsonOf(`${environments}/${name}`);
}

async function shareOf(name: string, url: string, parts: Pick<Shared, 'urls' | 'order'>): Promise<Shared> {
  const { client_id, client_secret } = await createEnvironment(url, name);
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const { access_token } = await jsonOf<{ access_token: string }>(`${url}/oauth/token`, {
    method: 'POST',
    body,
  });
  const generator = new Generator(`${SEED} ${name}`);
  const patience = () => PATIENCE[Math.floor(generator.draw() * PATIENCE.length)]!;
  const client = new OrganizationsClient(name, access_token, patience);
  return { ...parts, client, history: new History(name), known: new Map(), calls: 0 };
}

/** Lists each environment at each replica, so that what was acknowledged must be there. Returns a line for each that never answers. */
async function readAll(all: readonly Shared[]): Promise<string[]> {
  const reads = all.flatMap((shared) =>
    [...shared.urls.keys()].map((replica) =>
      eventually(
        () => list(shared, replica),
        (isAnswered) => isAnswered,
      ).then(
        () => [],
        () => [`replica ${replica} never answers for environment ${shared.client.environment}`],
      ),
    ),
  );
  return (await Promise.all(reads)).flat();
}

function environmentCallers(all: readonly Shared[]): EnvironmentCaller[] {
  const { urls, order } = all[0]!;
  const histories = all.map(({ history }) => history);
  return Array.from({ length: ENVIRONMENT_CALLERS }, (_, index) => {
    const name = `life-${index}`;
    const client = new EnvironmentsClient(LONGEST_PATIENCE);
    return new EnvironmentCaller({
      client,
      generator: new Generator(`${SEED} ${name}`),
      urls,
      histories,
      order,
      name,
    });
  });
}

/** One line for each environment that was dropped and is in the database again. */
async function revivedIn(store: string, callers: readonly EnvironmentCaller[]): Promise<string[]> {
  const rows = await query(store, 'SELECT name FROM understudy_environments');
  const stored = new Set(rows.map(({ name }) => name));
  const dropped = callers.flatMap((caller) => caller.dropped);
  return dropped
    .filter((name) => stored.has(name))
    .map((name) => `environment ${name} was dropped, and is there`);
}

/** Runs the schedule while callers call. Resolves when every fault is over. */
async function runSchedule(
  cluster: Cluster,
  schedule: readonly Fault[],
  all: readonly Shared[],
  others: readonly EnvironmentCaller[],
): Promise<void> {
  let isOver = false;
  const callers = all.flatMap((shared) =>
    Array.from({ length: CALLERS_OF_EACH }, (_, index) => {
      const name = `${shared.client.environment}-${index}`;
      return new Caller(shared, new Generator(`${SEED} ${name}`), name).run(() => isOver);
    }),
  );
  const running = [...callers, ...others.map((caller) => caller.run(() => isOver))];
  const faults = schedule.map(async (fault) => {
    await delay(fault.start);
    await cluster.suffer(fault);
  });
  await Promise.all(faults);
  isOver = true;
  await Promise.all(running);
}

function summaryOf(histories: readonly History[]): string {
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const calls = sum(histories.map(({ size }) => size));
  const unknown = sum(histories.map((history) => history.unknown));
  const clocks = HAS_FAKETIME ? 'clocks differ' : 'clocks do not differ, because faketime is not installed';
  return `${FAULTS} faults, ${calls} calls, ${unknown} writes without an answer, ${clocks}`;
}

function livesOf(callers: readonly EnvironmentCaller[]): string {
  const sum = (count: (caller: EnvironmentCaller) => number) =>
    callers.reduce((all, caller) => all + count(caller), 0);
  const [forks, restores] = [sum((caller) => caller.forks), sum((caller) => caller.restores)];
  return `${forks} forks, ${restores} restores and resets, ${sum(({ dropped }) => dropped.length)} drops`;
}

describe.skipIf(!HAS_POSTGRES)('replicas that suffer faults', () => {
  it('lose nothing that was acknowledged, and show each environment as one process would', async () => {
    const schedule = scheduleOf(new Generator(SEED), { faults: FAULTS, replicas: REPLICAS, lease: LEASE });
    const repeat = `npm run test:replicas -- --faults ${FAULTS} --seed ${SEED}`;
    const cluster = await Cluster.start(postgres, { count: REPLICAS, lease: LEASE });
    onTestFinished(() => cluster.stop());
    const order = new Order();
    const all = await Promise.all(
      ENVIRONMENTS.map((name, index) =>
        shareOf(name, cluster.urls[index % REPLICAS]!, { urls: cluster.urls, order }),
      ),
    );

    const others = environmentCallers(all);
    await runSchedule(cluster, schedule, all, others);
    const silent = await readAll(all);

    const histories = all.map(({ history }) => history);
    await cluster.stop();
    const logs = cluster.replicas.map(({ log }) => log);
    console.log(
      [...schedule.map(shownFault), summaryOf(histories), livesOf(others), `repeat: ${repeat}`].join('\n'),
    );
    const problems = [
      ...silent,
      ...others.flatMap((caller) => caller.problems),
      ...(await revivedIn(cluster.store, others)),
      ...histories.flatMap((history) => history.violations()),
      ...new Set(histories.flatMap(({ surprises }) => surprises)),
      ...cluster.replicas.flatMap(({ crashes }) => crashes).map((exit) => JSON.stringify(exit)),
      ...new Set(logs.flatMap((log) => log.match(/^error: .*/gm) ?? [])),
    ];
    if (problems.length > 0) console.log(logs.join('\n'));
    expect(problems, `the same faults again: ${repeat}`).toEqual([]);
  });
});
