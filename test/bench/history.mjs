// What the history of an environment costs: a moment 10 000 commits ago, and the memory of the commits that it keeps.
import { once } from 'node:events';
import { median, OURS, start } from './server.mjs';

const CLOCK = ['--require', './test/bench/turn-clock.cjs'];
const ROW = '/_control/v1/state/organizations/org_10000000000000001';
/** Without a journal, the memory that grows is that of the history. */
const ARGS = [...CLOCK, ...OURS, '--memory', '--journal-entries', '0'];
const AGO = 10_000;
const ALL = 20_000;

/** A read of a moment 10 000 commits ago, the longest turn meanwhile, and the memory for the commits that are kept. */
export async function history() {
  const server = await start(ARGS, ['ipc']);
  await rename(server, 1000);
  const before = server.memory();
  await rename(server, ALL);
  const memory = server.memory() - before;
  await server.call('GET', `${ROW}?at=1000`); // the first use of the operation is measured elsewhere
  const [times, turns] = [[], []];
  for (let count = 0; count < 5; count += 1) {
    // Another moment each time, because the latest one that was asked for is kept.
    const at = 1000 + ALL - AGO + count;
    await tell(server, 'begin');
    const begun = performance.now();
    const { status, text } = await server.call('GET', `${ROW}?at=${at}`);
    times.push(performance.now() - begun);
    const [turn] = await tell(server, 'end');
    turns.push(turn);
    if (status !== 200 || !text.includes('"Name ')) throw new Error(`the moment ${at} is not there: ${text}`);
  }
  await server.stop();
  const [time, turn] = [median(times), Math.max(...turns)];
  return {
    moment: { value: `${time.toFixed(1)} ms`, figure: time },
    turn: { value: `${turn.toFixed(1)} ms`, figure: turn },
    memory: { value: `${Math.round(memory)} MB`, figure: memory },
  };
}

async function rename(server, times) {
  for (let count = 0; count < times; count += 1)
    await server.call('PATCH', ROW, { display_name: `Name ${count}` });
}

function tell({ child }, message) {
  const answered = once(child, 'message');
  child.send(message);
  return answered;
}
