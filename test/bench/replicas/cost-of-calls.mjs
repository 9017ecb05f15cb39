// What a read, a create and four reads with one create cost in each setup, in turns, with few and with many callers.
import autocannon from 'autocannon';
import { median } from '../server.mjs';

const ROUNDS = 3;
/** Callers, and the calls of one measurement. */
const LOADS = [
  [1, 1000],
  [16, 4000],
  [64, 4000],
];
const CREATE = {
  method: 'POST',
  path: '/api/v1/organizations',
  body: JSON.stringify({ display_name: 'New' }),
  type: { 'content-type': 'application/json' },
};

/** Yields the rows of one kind of call and one number of callers: one for each setup. */
export async function* costOfCalls(setups, database) {
  for (const kind of ['read', 'create', 'mixed'])
    for (const [callers, calls] of LOADS) {
      const figures = new Map(setups.map((setup) => [setup, []]));
      for (let round = 0; round <= ROUNDS; round += 1)
        for (const setup of setups) {
          const figure = await measure(setup, database, { kind, callers, calls });
          if (round > 0) figures.get(setup).push(figure); // the first one compiles the code
        }
      yield [...figures].map(([{ name }, all]) => ({ kind, callers, name, ...middle(all) }));
    }
}

async function measure({ targets, cpu }, database, { kind, callers, calls }) {
  const before = { own: cpu(), database: database.cpu(), work: await database.work() };
  const begun = performance.now();
  const asked = targets.slice(0, callers);
  const loads = await Promise.all(
    asked.map((target) =>
      load(target, kind, { connections: callers / asked.length, amount: calls / asked.length }),
    ),
  );
  const seconds = (Math.max(...loads.map(({ end }) => end)) - begun) / 1000;
  const work = await database.work();
  const sorted = loads.flatMap(({ times }) => times).toSorted((a, b) => a - b);
  return {
    rate: calls / seconds,
    p99: sorted[Math.floor(sorted.length * 0.99)],
    own: (cpu() - before.own) / calls,
    database: (database.cpu() - before.database) / calls,
    wal: (work.wal - before.work.wal) / calls,
    statements: (work.appends - before.work.appends) / calls,
  };
}

/** The time of each answer in milliseconds, and when the last one came. */
async function load({ url, headers, path }, kind, { connections, amount }) {
  const read = { method: 'GET', path };
  const calls = { read: [read], create: [CREATE], mixed: [read, read, CREATE, read, read] };
  const running = autocannon({
    url,
    requests: calls[kind].map(({ method, path: at, body, type }) => ({
      method,
      path: at,
      headers: { ...headers, ...type },
      ...(body && { body }),
    })),
    connections,
    amount,
  });
  const times = [];
  let end = 0;
  running.on('response', (client, status, bytes, time) => {
    times.push(time);
    end = performance.now();
  });
  const { non2xx, errors } = await running;
  if (non2xx + errors > 0)
    throw new Error(`${url}: ${non2xx} answers were no success, ${errors} calls failed`);
  return { times, end };
}

const middle = (figures) =>
  Object.fromEntries(
    Object.keys(figures[0]).map((name) => [name, median(figures.map((each) => each[name]))]),
  );
