// The longest turn of a server's main thread, in milliseconds of processor time, while it handles an input.
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { OURS, start } from './server.mjs';
import { FIRST_USES, readInputs } from './turn-inputs.mjs';

const CLOCK = ['--require', './test/bench/turn-clock.cjs'];
/** Milliseconds after which nobody waits for an answer. */
export const TOO_LONG = 60_000;
/** Milliseconds after which a new server has prepared its first uses. */
const REST = 8000;

/** The longest turn for one input of each kind, and the name of that input. */
export async function longestTurn() {
  let worst = { turn: 0 };
  for await (const measured of measureAll()) if (measured.turn > worst.turn) worst = measured;
  return { value: `${Math.round(worst.turn)} ms`, figure: worst.turn, against: worst.name };
}

/** Measures all inputs whose name has `part`. `program`: another build. */
export async function* measureAll(part = '', program = OURS[0]) {
  const isWanted = ({ name }) => name.includes(part);
  const args = [...CLOCK, program, ...OURS.slice(1), '--memory'];
  for (const input of FIRST_USES.filter(isWanted)) {
    const server = await startAndRest(args);
    yield await measure(server, input);
    server.child.kill('SIGKILL');
  }
  let server;
  for (const input of (await readInputs()).filter(isWanted)) {
    server ??= await startAndRest(args);
    const measured = await measure(server, input);
    yield measured;
    await say(server, { method: 'DELETE', path: '/_control/v1/scenarios' });
    await say(server, { method: 'POST', path: '/_control/v1/reset' });
    if (measured.turn < TOO_LONG) continue;
    server.child.kill('SIGKILL');
    server = undefined;
  }
  server?.child.kill('SIGKILL');
}

async function startAndRest(args) {
  const server = await start(args, ['ipc']);
  await wait(REST);
  return server;
}

async function measure(server, { name, first = [], ...input }) {
  for (const call of first) await say(server, call);
  await tell(server, 'begin');
  const answer = await say(server, input);
  if (!answer) return { name, turn: TOO_LONG, status: '---', size: 0 };
  await server.call('GET', '/_control/v1/health');
  const [turn] = await tell(server, 'end');
  return { name, turn, status: answer.status, size: answer.text.length };
}

function tell({ child }, message) {
  const answered = once(child, 'message');
  child.send(message);
  return answered;
}

/** The answer; undefined if it comes too late. */
const say = (server, call) => Promise.race([send(server, call), wait(TOO_LONG, undefined, { ref: false })]);

async function send(server, { act, method, path, body, type, headers }) {
  if (act) return act(server);
  try {
    return await server.call(method, path, body, { ...(type && { 'content-type': type }), ...headers });
  } catch (thrown) {
    return { status: thrown.code, text: '' };
  }
}
