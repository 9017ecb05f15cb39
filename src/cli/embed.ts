import { DEFAULTS, type Config } from '../config.ts';
import { explain } from './explain.ts';
import { startServing, type Running } from './serve.ts';

/**
 * Starts the service inside another program: in memory, on a free port and without a request log, unless
 * configured otherwise.
 */
export async function embed(wanted: Partial<Config>, write: (line: string) => void): Promise<Running> {
  try {
    return await startServing({ ...DEFAULTS, port: 0, data: undefined, logLevel: 'warn', ...wanted }, write);
  } catch (thrown) {
    throw new Error(explain(thrown), { cause: thrown });
  }
}
