// Prints how much processor time each evil input costs the server: node test/bench/evil-inputs.mjs [PART OF A NAME].
// UNDERSTUDY_DIST: another build to measure.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { OURS, start } from './server.mjs';

/** What one call may cost, in milliseconds, and when we give up. */
const MOST = 200;
const TOO_LONG = 12_000;

const program = process.env['UNDERSTUDY_DIST'] ?? OURS[0];
const [part = ''] = process.argv.slice(2);
const bundle = await build({ entryPoints: ['test/support/evil-inputs.ts'], write: false, format: 'esm' });
const source = Buffer.from(bundle.outputFiles[0].text).toString('base64');
const { EVIL_INPUTS } = await import(`data:text/javascript;base64,${source}`);

let tooLong = 0;
for (const input of EVIL_INPUTS.filter(({ name }) => name.includes(part))) {
  const { cost, status, size } = await measure(input);
  if (cost > MOST) tooLong += 1;
  const shown = cost >= TOO_LONG ? `over ${TOO_LONG / 1000} s` : `${Math.round(cost)} ms`;
  console.log(
    `${cost > MOST ? '!' : ' '} ${shown.padStart(10)} ${String(status).padStart(4)} ${String(size).padStart(8)} ${input.name}`,
  );
}
console.log(`${tooLong} cost more than ${MOST} ms`);

/** The second time: the first one compiles what every call needs. */
async function measure({ first = [], ...input }) {
  const server = await start([program, ...OURS.slice(1), '--memory']);
  const say = ({ method, path, body, type }) =>
    server
      .call(method, path, body, type && { 'content-type': type })
      .catch((thrown) => ({ status: thrown.code, text: '' }));
  try {
    await warmUp(say);
    for (const call of first) await Promise.race([say(call), late()]);
    const begun = mainThread(server.child.pid);
    const answer = await Promise.race([say(input), late()]);
    const cost = mainThread(server.child.pid) - begun;
    return {
      cost: answer ? cost : TOO_LONG,
      status: answer?.status ?? '---',
      size: answer?.text.length ?? 0,
    };
  } finally {
    server.child.kill('SIGKILL');
  }
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

/** Milliseconds of processor time of the thread that answers. */
function mainThread(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
