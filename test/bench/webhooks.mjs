// The effect of a slow webhook endpoint on the calls that emit events: there should be none.
import { Agent, request } from 'node:http';
import { median, OURS, start } from './server.mjs';

/** Calls per second, and calls per round. */
const RATE = 1000;
const TURN = 1000;
const TURNS = 12;
const WAITING = 20_000;
const RECEIVER = ['test/support/webhook-receiver.mjs', '--delay', '1000'];
const BODY = JSON.stringify({ display_name: 'New' });

/**
 * Creating an organization with a webhook endpoint that responds after a second, compared with no endpoint:
 * alternating, 1 000 calls per second, each timed from when it was due.
 */
export async function listening() {
  const receiver = await start(RECEIVER);
  const [slow, none] = [await start([...OURS, '--memory']), await start([...OURS, '--memory'])];
  await slow.call('POST', '/_control/v1/webhooks/endpoints', { url: receiver.url });
  const turns = { slow: [], none: [] };
  for (let turn = -2; turn < TURNS; turn += 1) {
    const [ours, theirs] = [await offer(slow), await offer(none)];
    if (turn < 0) continue;
    turns.slow.push(ours);
    turns.none.push(theirs);
  }
  for (let made = (TURNS + 2) * TURN; made < WAITING + TURN; made += TURN)
    await Promise.all([offer(slow), offer(none)]);
  const memory = { slow: slow.memory(), none: none.memory() };
  await Promise.all([receiver.stop(), slow.stop(), none.stop()]);
  return told(turns, memory);
}

function told(turns, memory) {
  const of = (kind, figure) => median(turns[kind].map((turn) => turn[figure]));
  const [p99, without] = [of('slow', 'p99'), of('none', 'p99')];
  const [cpu, cpuWithout] = [of('slow', 'cpu'), of('none', 'cpu')];
  return {
    p99: {
      value: `${p99.toFixed(1)} ms at ${of('slow', 'rate').toFixed(0)}/s`,
      against: `${without.toFixed(1)} ms at ${of('none', 'rate').toFixed(0)}/s`,
      ratio: p99 / without,
    },
    cpu: { value: `${cpu.toFixed(3)} ms`, against: `${cpuWithout.toFixed(3)} ms`, ratio: cpu / cpuWithout },
    memory: {
      value: `${memory.slow.toFixed(0)} MB`,
      against: `${memory.none.toFixed(0)} MB`,
      ratio: memory.slow / memory.none,
    },
  };
}

async function offer(server) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const cpu = server.cpu();
  const begun = performance.now();
  const calls = [];
  while (calls.length < TURN) {
    const due = Math.min(TURN, ((performance.now() - begun) * RATE) / 1000);
    while (calls.length < due) calls.push(create(server, agent, begun + (calls.length * 1000) / RATE));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const taken = (await Promise.all(calls)).toSorted((a, b) => a - b);
  const rate = (TURN * 1000) / (performance.now() - begun);
  agent.destroy();
  return { p99: taken[Math.floor(TURN * 0.99)], cpu: (server.cpu() - cpu) / TURN, rate };
}

/** The time in milliseconds since the call was due. */
function create({ url, headers }, agent, due) {
  return new Promise((resolve, reject) => {
    const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) };
    const asking = request(`${url}/api/v1/organizations`, {
      method: 'POST',
      agent,
      headers: { ...headers, ...own },
    });
    asking.on('error', reject);
    asking.on('response', (response) => {
      if (response.statusCode !== 201) reject(new Error(`answered ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - due));
    });
    asking.end(BODY);
  });
}
