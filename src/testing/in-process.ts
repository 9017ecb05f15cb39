import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { embed } from '../cli/serve.ts';
import { KNOWN_CREDENTIALS } from '../config.ts';
import { loadProgram } from '../load-program.ts';
import { configOf, withOptionNames, type StartOptions } from './start-options.ts';

/** File name of the bundle of main.ts; the build inserts it. */
declare const PROGRAM: string;

export interface Running {
  url: string;
  /** The service in this process; absent for a child process. */
  app?: RequestListener;
  /** Throws if the run must fail. */
  stop(): Promise<void>;
}

/** Starts the service inside this process, on a port: it prints nothing and handles no signals. */
export async function startInProcess(options: StartOptions): Promise<Running> {
  const running = await started(options);
  const stop = async () => {
    const failures = await running.stop();
    if (failures.length > 0) throw new Error(failures.join('\n'));
  };
  return { url: running.url, app: running.app, stop };
}

async function started(options: StartOptions) {
  try {
    return await load().start(configOf(options, KNOWN_CREDENTIALS), options.log ?? (() => {}));
  } catch (thrown) {
    const { message } = thrown as Error;
    throw new Error(withOptionNames(message), { cause: thrown });
  }
}

interface Library {
  start: typeof embed;
}

let loaded: Library | undefined;

const load = () =>
  (loaded ??= loadProgram(fileURLToPath(new URL(PROGRAM, import.meta.url))).program as Library);
