import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { kill } from 'node:process';
import type { Readable } from 'node:stream';
import type { Terminal } from '@understudy/core/parts';
import { UsageError } from '@understudy/core/cli/usage-error';

export interface CommandResult {
  /** Absent if a signal ended it. */
  code: number | undefined;
  signal: NodeJS.Signals | undefined;
  /** Whether it was ended because it took too long, or because the sweep was interrupted. */
  stopped: 'too long' | 'interrupted' | undefined;
  /** The end of what it printed. */
  output: string;
}

interface CommandOptions extends Pick<Terminal, 'variables' | 'platform'> {
  /** Milliseconds that it may take. */
  limit: number;
  signal: AbortSignal;
}

const LONGEST_OUTPUT = 200_000;
/** Milliseconds that a program has to end by itself. */
const GRACE = 2000;

/** Runs a program without input, with all that it starts. Throws UsageError if it cannot be started. */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { variables, platform, limit, signal }: CommandOptions,
): Promise<CommandResult> {
  const isWindows = platform === 'win32';
  // Only a shell finds the npm of Windows, which is a batch file. Elsewhere, a group of its own has all that it starts.
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: variables,
    shell: isWindows,
    detached: !isWindows,
  });
  const printed = outputOf(child);
  return new Promise((resolve, reject) => {
    let stopped: CommandResult['stopped'];
    const stop = (why: 'too long' | 'interrupted') => {
      stopped ??= why;
      end(child, 'SIGTERM', isWindows);
      setTimeout(() => end(child, 'SIGKILL', isWindows), GRACE).unref();
    };
    const timer = setTimeout(() => stop('too long'), limit);
    const interrupt = () => stop('interrupted');
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
    };
    child.once('error', ({ message }) => {
      over();
      reject(new UsageError(`cannot run ${program}: ${message}`));
    });
    child.once('close', (code, ended) => {
      over();
      end(child, 'SIGKILL', isWindows); // what the program has left behind
      resolve({ code: code ?? undefined, signal: ended ?? undefined, stopped, output: printed() });
    });
  });
}

function outputOf({ stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>): () => string {
  let output = '';
  const add = (text: string) => void (output = (output + text).slice(-LONGEST_OUTPUT));
  stdout.setEncoding('utf8').on('data', add);
  stderr.setEncoding('utf8').on('data', add);
  return () => output;
}

/** Ends the program and all that it has started. */
function end(child: ChildProcess, signal: NodeJS.Signals, isWindows: boolean): void {
  if (isWindows || child.pid === undefined) return void child.kill(signal);
  try {
    kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
