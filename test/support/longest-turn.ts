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

interface TurnTimes {
  longest: number;
  all: number;
}

/** Turns of the event loop until `work` ends, in milliseconds of processor time. Other processes do not change them. */
export async function turnTimes(work: () => PromiseLike<unknown>): Promise<TurnTimes> {
  let isDone = false;
  const done = Promise.resolve(work()).finally(() => (isDone = true));
  const times = { longest: 0, all: 0 };
  while (!isDone) {
    const before = processorTime();
    await new Promise((resolve) => setImmediate(resolve));
    const turn = processorTime() - before;
    times.longest = Math.max(times.longest, turn);
    times.all += turn;
  }
  await done;
  return times;
}

/** The longest of them. The caller's own work counts, too, so bounds must be generous. */
export const longestTurn = async (work: () => PromiseLike<unknown>): Promise<number> =>
  (await turnTimes(work)).longest;
