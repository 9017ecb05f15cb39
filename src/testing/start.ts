import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { spawn, type ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as passing } from 'node:timers/promises';
import type { embed } from '../cli/serve.ts';
import { KNOWN_CREDENTIALS } from '../config.ts';
import { loadProgram } from '../load-program.ts';
import { configOf, withOptionNames, type StartOptions, flagsOf, variablesOf } from './start-options.ts';

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

/** Milliseconds that a process has to end by itself. */
const TIMEOUT = 30_000;

/**
 * Starts the service as a child process. It watches its stdin, which closes when this process ends, however
 * that happens. After `unref()`, this process may end before `stop()`.
 */
export async function startChildProcess(options: StartOptions): Promise<Running & { unref(): void }> {
  const child = launch(options);
  const output = listenTo(child, options.log);
  const exited = once(child, 'close');
  const failed = exited.then(() => Promise.reject(new Error(errorIn(output.lines))));
  const { url } = JSON.parse(await Promise.race([output.first, failed])) as { url: string };
  const handles = [child, ...(child.stdio as (Socket | undefined)[])].filter((each) => each !== undefined);
  return {
    url,
    unref: () => handles.forEach((each) => each.unref()),
    stop: () => {
      for (const each of handles) each.ref();
      return stop(child, exited, output.lines);
    },
  };
}

function launch(options: StartOptions): Child {
  const program = fileURLToPath(new URL('./understudy.js', import.meta.url));
  // UNDERSTUDY_ variables of the shell are meant for other services.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(UNDERSTUDY_|PORT$|NODE_OPTIONS$)/.test(name),
  );
  // As in this process, the options are all that counts.
  const env = { ...Object.fromEntries(own), ...variablesOf(options), UNDERSTUDY_CONFIG: 'off' };
  return spawn(process.execPath, [program, 'serve', '--json', '--stop-with-stdin', ...flagsOf(options)], {
    env,
  });
}

/** Reads the first line of stdout and all of stderr. */
function listenTo(child: Child, log?: (line: string) => void) {
  const lines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lines.push(text);
    log?.(text);
  });
  child.stdin.on('error', () => {}); // The process has already ended.
  const first = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', resolve).resume();
  });
  return { lines, first };
}

const errorIn = (lines: string[]) =>
  withOptionNames(
    lines
      .join('')
      .trim()
      .replace(/^(understudy|error): /, ''),
  ) || 'the service ended by itself';

async function stop(child: Child, exited: Promise<unknown>, lines: string[]): Promise<void> {
  const linesBefore = lines.length;
  child.stdin.end();
  const late = new AbortController();
  const kill = passing(TIMEOUT, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL'));
  await exited;
  late.abort();
  await kill.catch(() => {}); // The process ended in time.
  if (child.exitCode) throw new Error(errorIn(lines.slice(linesBefore)));
}
