// Prints how long each input keeps other calls waiting, in processor time of the server's main thread: node
// test/bench/evil-inputs.mjs [PART OF A NAME]. Set UNDERSTUDY_DIST to measure another build.
import { measureAll, TOO_LONG } from './turns.mjs';

/** The limit of one turn in milliseconds. */
const MOST = 100;

let tooLong = 0;
for await (const { name, turn, status, size } of measureAll(
  process.argv[2],
  process.env['UNDERSTUDY_DIST'],
)) {
  if (turn > MOST) tooLong += 1;
  const taken = turn >= TOO_LONG ? `over ${TOO_LONG / 1000} s` : `${Math.round(turn)} ms`;
  const answer = `${String(status).padStart(10)} ${String(size).padStart(8)}`;
  console.log(`${turn > MOST ? '!' : ' '} ${taken.padStart(9)} ${answer} ${name}`);
}
console.log(`${tooLong} keep other calls waiting for more than ${MOST} ms`);
