import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { NotKept } from './not-kept.ts';
import type { SharedLog } from './storage.ts';

interface StoredEnvironment {
  readonly log: { readonly shared: SharedLog | undefined };
  kept(): Promise<void> | undefined;
}

type Run<T> = () => T | Promise<T>;

/** How often something runs before its caller gets 503. */
const MOST_RUNS = 50;
/**
 * Milliseconds that a run waits at most for each run before it, after the second one. The environment's generator does not choose
 * them, because that would change what the call answers.
 */
const PAUSE = 5;

export const isOvertaken = (thrown: unknown): boolean => thrown instanceof NotKept && thrown.isOvertaken;

/**
 * Runs something in an environment, again and again while other processes are faster. `run` ends, also with an error, only once
 * everything is stored that it has written or may show. It asks `kept` for that in the turn in which it has written, because
 * later commits, of other calls, may be overtaken although its own are stored.
 */
export function untilStored<T>(environment: StoredEnvironment, run: Run<T>): T | Promise<T> {
  const { shared } = environment.log;
  return shared ? runAgain(shared, run) : run();
}

/** Like `untilStored` for something that writes at its end. */
export const untilKept = <T>(environment: StoredEnvironment, run: Run<T>): T | Promise<T> =>
  untilStored(environment, environment.log.shared ? () => keptResult(environment, run) : run);

async function runAgain<T>(shared: SharedLog, run: Run<T>): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (thrown) {
      if (!isOvertaken(thrown) || runs === MOST_RUNS) throw thrown;
    }
    if (runs > 2) await delay(randomInt(PAUSE * Math.min(runs, 10)));
    await shared.readOn().catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
  }
}

async function keptResult<T>(environment: StoredEnvironment, run: Run<T>): Promise<T> {
  try {
    const result = await run();
    await environment.kept();
    return result;
  } catch (thrown) {
    if (!isOvertaken(thrown)) await environment.kept();
    throw thrown;
  }
}
