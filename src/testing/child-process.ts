import { spawn, type ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as passing } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Running } from './in-process.ts';
import { flagsOf, inOptions, variablesOf, type StartOptions } from './start-options.ts';

/** Milliseconds that a process has to end by itself. */
const TIMEOUT = 30_000;

/** The service as a process of its own. It watches its stdin, which ends with this process however that ends. */
export async function startChildProcess(options: StartOptions): Promise<Running> {
  const child = launch(options);
  const said = listenTo(child, options.log);
  const exited = once(child, 'close');
  const failed = exited.then(() => Promise.reject(new Error(complaintIn(said.lines))));
  const { url } = JSON.parse(await Promise.race([said.first, failed])) as { url: string };
  return { url, stop: () => stop(child, exited, said.lines) };
}

function launch(options: StartOptions): Child {
  const program = fileURLToPath(new URL('./understudy.js', import.meta.url));
  // What the shell says for services that people start is not meant for this one.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(UNDERSTUDY_|PORT$|NODE_OPTIONS$)/.test(name),
  );
  const env = { ...Object.fromEntries(own), ...variablesOf(options) };
  return spawn(process.execPath, [program, 'serve', '--json', '--stop-with-stdin', ...flagsOf(options)], {
    env,
  });
}

/** Its first line on stdout, and all that it tells on stderr. */
function listenTo(child: Child, log?: (line: string) => void) {
  const lines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lines.push(text);
    log?.(text);
  });
  child.stdin.on('error', () => {}); // it is gone already
  const first = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', resolve).resume();
  });
  return { lines, first };
}

const complaintIn = (lines: string[]) =>
  inOptions(
    lines
      .join('')
      .trim()
      .replace(/^(understudy|error): /, ''),
  ) || 'the service ended by itself';

async function stop(child: Child, exited: Promise<unknown>, lines: string[]): Promise<void> {
  const told = lines.length;
  child.stdin.end();
  const late = new AbortController();
  const kill = passing(TIMEOUT, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL'));
  await exited;
  late.abort();
  await kill.catch(() => {}); // it ended in time
  if (child.exitCode) throw new Error(complaintIn(lines.slice(told)));
}
