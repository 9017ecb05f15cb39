import { DEFAULTS, type Config } from '../config.ts';
import { explain } from './explain.ts';
import { startServing, type Running } from './serve.ts';

/** Starts the service within a program of somebody else: in memory, on a free port and silent about calls, unless told otherwise. */
export async function embed(wanted: Partial<Config>, write: (line: string) => void): Promise<Running> {
  try {
    return await startServing({ ...DEFAULTS, port: 0, data: undefined, logLevel: 'warn', ...wanted }, write);
  } catch (thrown) {
    throw new Error(explain(thrown), { cause: thrown });
  }
}
