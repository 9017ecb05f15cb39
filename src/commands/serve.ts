import type { Config } from '../config.ts';
import { FixtureError } from '../environments/fixture-error.ts';
import { ApiError } from '../errors.ts';
import { listen, ListenError, type Listener } from '../http/listener.ts';
import { createLog } from '../log.ts';
import { ScenarioError } from '../scenarios/scenario-error.ts';
import { createUnderstudy, type Understudy } from '../simulator.ts';
import { StoreError } from '../store/store-error.ts';
import { watchFiles } from './watch.ts';

export interface Running {
  url: string;
  /** Calls in flight are answered, the store is folded. */
  stop(): Promise<void>;
}

/** Milliseconds that calls in flight have once we are asked to stop. */
const PATIENCE = 1200;

/** Starts the service. `write` takes what is for the person who runs it. */
export async function startServing(config: Config, write: (line: string) => void): Promise<Running> {
  const understudy = await createUnderstudy(config, write);
  const listener = await listenOrClose(understudy, config);
  const log = createLog(config.logLevel, write);
  const unwatch = config.watch ? watchFiles(understudy.controls, config, log) : () => {};
  return {
    url: config.baseUrl ?? listener.url,
    async stop() {
      unwatch();
      await listener.stop(PATIENCE);
      await understudy.close();
    },
  };
}

async function listenOrClose(understudy: Understudy, config: Config): Promise<Listener> {
  try {
    return await listen(understudy.app, config);
  } catch (thrown) {
    await understudy.close();
    throw thrown;
  }
}

/** Failures that are the user's to mend are one clear line; all others are bugs and keep their stack. */
export function explain(thrown: unknown): string {
  const plain = [FixtureError, ListenError, ScenarioError, StoreError, ApiError].some(
    (kind) => thrown instanceof kind,
  );
  if (!(thrown instanceof Error)) return String(thrown);
  return plain ? thrown.message : (thrown.stack ?? thrown.message);
}
