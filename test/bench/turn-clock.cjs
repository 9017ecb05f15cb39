// Loaded into a measured server: measures the processor time of each turn of its main thread between the messages
// `begin` and `end`, and answers each with the longest so far, in milliseconds.
const { readFileSync } = require('node:fs');

const spent = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

let [longest, before, isMeasuring] = [0, 0, false];

function turn() {
  const now = spent();
  longest = Math.max(longest, now - before);
  before = now;
  if (isMeasuring) setImmediate(turn);
}

process.on('message', (message) => {
  isMeasuring = message === 'begin';
  process.send(longest);
  if (!isMeasuring) return;
  [longest, before] = [0, spent()];
  setImmediate(turn);
});
