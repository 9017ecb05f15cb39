// Prints how long each evil input blocks other calls, and its cost in processor time of the server: node
// test/bench/evil-inputs.mjs [PART OF A NAME]. Set UNDERSTUDY_DIST to measure another build.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { build } from 'esbuild';
import { OURS, start } from './server.mjs';

/** The limit of one call in milliseconds, and the time after which the measurement stops. */
const MOST = 200;
const TOO_LONG = 12_000;
const PINGING = new Agent({ keepAlive: true, maxSockets: 1 });

const program = process.env['UNDERSTUDY_DIST'] ?? OURS[0];
const [part = ''] = process.argv.slice(2);
const bundle = await build({ entryPoints: ['test/support/evil-inputs.ts'], write: false, format: 'esm' });
const source = Buffer.from(bundle.outputFiles[0].text).toString('base64');
const { EVIL_INPUTS } = await import(`data:text/javascript;base64,${source}`);

let tooLong = 0;
for (const input of EVIL_INPUTS.filter(({ name }) => name.includes(part))) {
  const { turn, cost, status, size } = await measure(input);
  if (turn > MOST) tooLong += 1;
  const shown = [turn, cost].map((each) =>
    each >= TOO_LONG ? `over ${TOO_LONG / 1000} s` : `${Math.round(each)} ms`,
  );
  const [longest, all] = shown.map((each) => each.padStart(9));
  const answer = `${String(status).padStart(10)} ${String(size).padStart(8)}`;
  console.log(`${turn > MOST ? '!' : ' '} ${longest} ${all} ${answer} ${input.name}`);
}
console.log(`${tooLong} keep other calls waiting for more than ${MOST} ms`);

/**
 * The longest time that another caller waits meanwhile, and the total cost. A warm-up call compiles the
 * code first and is not measured.
 */
async function measure({ first = [], ...input }) {
  const server = await start([program, ...OURS.slice(1), '--memory']);
  const say = ({ method, path, body, type, headers }) =>
    server
      .call(method, path, body, { ...(type && { 'content-type': type }), ...headers })
      .catch((thrown) => ({ status: thrown.code, text: '' }));
  try {
    await warmUp(say);
    for (const call of first) await Promise.race([say(call), late()]);
    const { pid } = server.child;
    const begun = mainThread(pid);
    let answer;
    const answering = Promise.race([say(input), late()]).then((given) => (answer = given ?? { late: true }));
    let [turn, before] = [0, begun];
    while (!answer) {
      await Promise.race([answering, ping(server.url)]);
      const now = mainThread(pid);
      turn = Math.max(turn, now - before);
      before = now;
    }
    if (answer.late) return { turn: TOO_LONG, cost: TOO_LONG, status: '---', size: 0 };
    return { turn, cost: mainThread(pid) - begun, status: answer.status, size: answer.text.length };
  } finally {
    server.child.kill('SIGKILL');
  }
}

function ping(url) {
  return new Promise((resolve) => {
    get(`${url}/_control/v1/health`, { agent: PINGING }, (response) =>
      response.resume().on('end', resolve),
    ).on('error', resolve);
  });
}

async function warmUp(say) {
  const scenario =
    '{"name":"warm","state":{"organizations":[{"insert":{"display_name":"x"}}]},"rules":[{"on":"UserService_ListUsers","times":1,"when":{"headers":{"x":{"regex":"y"}}},"reply":{"error":"gone"}}]}';
  for (let i = 0; i < 3; i += 1) {
    await say({ method: 'POST', path: '/_control/v1/scenarios', body: scenario });
    await say({ method: 'POST', path: '/_control/v1/scenarios', body: '{"name":"warm","rules":[{}]}' });
    await say({ method: 'POST', path: '/api/v1/organizations', body: '{"display_name":"x"}' });
    await say({ method: 'GET', path: '/_control/v1/requests?limit=1' });
  }
  await say({ method: 'PUT', path: '/_control/v1/state', body: '{"organizations":[]}' });
  await say({ method: 'POST', path: '/_control/v1/requests/verify', body: '{"match":{"operation":"*"}}' });
}

function late() {
  return new Promise((resolve) => setTimeout(resolve, TOO_LONG).unref());
}

/** Processor time of the main thread in milliseconds. */
function mainThread(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
