import type { embed } from '../commands/embed.ts';
import { KNOWN_CREDENTIALS } from '../config.ts';
import { configOf, type StartOptions } from './start-options.ts';

/** File name of the bundle that main.ts became; the build fills it in. */
declare const PROGRAM: string;

export interface Running {
  url: string;
  /** Throws with what the run is to fail for. */
  stop(): Promise<void>;
}

/** The service on a port of this process: nothing printed, no signal handled. */
export async function startInProcess(options: StartOptions): Promise<Running> {
  const { start } = loadProgram();
  const running = await start(configOf(options, KNOWN_CREDENTIALS), options.log ?? (() => {}));
  const stop = async () => {
    const failures = await running.stop();
    if (failures.length > 0) throw new Error(failures.join('\n'));
  };
  return { url: running.url, stop };
}

/** Once a process: jest would read it anew for each test file, were it asked. */
function loadProgram(): { start: typeof embed } {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(import.meta.url)(PROGRAM) as { start: typeof embed };
}
