import { readFileSync } from 'node:fs';

/** Processor time of this thread in milliseconds; where the system does not tell it, that of all threads of the process. */
function processorTime(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/**
 * The longest turn of the event loop until `work` ends, in milliseconds of processor time. Other processes do not change it, but the
 * caller's own work does, so bounds must be generous.
 */
export async function longestTurn(work: () => PromiseLike<unknown>): Promise<number> {
  let isDone = false;
  const done = Promise.resolve(work()).finally(() => (isDone = true));
  let longest = 0;
  while (!isDone) {
    const before = processorTime();
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, processorTime() - before);
  }
  await done;
  return longest;
}
