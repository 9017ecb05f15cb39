// What callers see while one process after the other is stopped with SIGTERM and started again.
import { startReplica, target } from './setups.mjs';

const ENVIRONMENTS = 20;
/** Milliseconds between two calls to an environment. */
const PAUSE = 20;

/**
 * Creates in all environments through both processes, as a load balancer would. A call that gets 503 is sent again; a
 * process that cannot be connected to is left out.
 */
export async function rollingRestart(store, database) {
  const replicas = [await startReplica(store), await startReplica(store)];
  const targets = [];
  for (let made = 0; made < ENVIRONMENTS; made += 1) targets.push(await target(replicas[made % 2]));
  const traffic = { isOver: false, calls: 0, refused: 0, broken: 0, gaps: [] };
  const callers = targets.map(({ headers }, index) => caller({ headers, index, replicas, traffic }));
  await seconds(2);
  const before = database.cpu();
  const begun = performance.now();
  let own = 0;
  for (const index of replicas.keys()) {
    await replicas[index].stop();
    replicas[index] = await startReplica(store);
    await seconds(2);
    own += replicas[index].cpu();
  }
  const taken = performance.now() - begun;
  traffic.isOver = true;
  await Promise.all(callers);
  const cost = { taken, own: own / 2, database: database.cpu() - before };
  await Promise.all(replicas.map((replica) => replica.stop()));
  return { ...traffic, ...cost, gap: Math.max(...traffic.gaps) };
}

async function caller({ headers, index, replicas, traffic }) {
  let [gap, last] = [0, performance.now()];
  for (let turn = index; !traffic.isOver; turn += 1) {
    const status = await create(replicas[turn % 2].url, headers);
    if (status === 201) {
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
      traffic.calls += 1;
    } else if (status === 503) traffic.refused += 1;
    else if (status === 'broken') traffic.broken += 1;
    else if (status !== 'unreachable') throw new Error(`a create answered ${status}`);
    await seconds(PAUSE / 1000);
  }
  traffic.gaps.push(gap);
}

async function create(url, headers) {
  const body = JSON.stringify({ display_name: 'New' });
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  try {
    const answer = await fetch(`${url}/api/v1/organizations`, sent);
    await answer.text();
    return answer.status;
  } catch (thrown) {
    return thrown.cause?.code === 'ECONNREFUSED' ? 'unreachable' : 'broken';
  }
}

const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1000));
