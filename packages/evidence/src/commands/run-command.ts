import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Terminal } from '@understudy/core/parts';
import { UsageError } from '@understudy/core/cli/usage-error';

/** Shells add this to the number of the signal that ended a program. */
const BY_SIGNAL = 128;

/**
 * Runs a program with the input and the outputs of this one, and returns its exit code. A terminal sends Ctrl+C to both
 * programs, so only a SIGTERM is passed on. Throws UsageError if the program cannot be started.
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  { variables, platform }: Pick<Terminal, 'variables' | 'platform'>,
  signal: AbortSignal,
): Promise<number> {
  // Only a shell finds the npm of Windows, which is a batch file.
  const child = spawn(program, args, { stdio: 'inherit', env: variables, shell: platform === 'win32' });
  const stop = () => {
    if (signal.reason === 'SIGTERM') child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code, ended] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? BY_SIGNAL + (ended === null ? 0 : constants.signals[ended]);
  } catch (thrown) {
    throw new UsageError(`cannot run ${program}: ${(thrown as Error).message}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
