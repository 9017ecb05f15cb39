import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import supertest from 'supertest';
import { expect, onTestFinished } from 'vitest';
import type { Agent } from './boot.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const PROGRAM = join(ROOT, 'dist', 'understudy.js');

export interface ProcessOptions {
  /**
   * Environment variables, added to those of the shell. The shell's own Understudy and Node variables are
   * removed.
   */
  variables?: Record<string, string>;
  cwd?: string;
  /** Another copy of the built program. */
  program?: string;
  /** A command that runs the program, such as `prlimit` with its arguments. */
  under?: readonly string[];
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Service {
  url: string;
  client_id: string;
  client_secret: string;
  version: string;
  pid: number;
  /** Logs in with the default client and returns an agent with its token. */
  login(): Promise<Agent>;
  /** Sends calls without a token. */
  anonymous: Agent;
  /** Sends calls to /_control/v1; give the path without that prefix. */
  control: Agent;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<Exit>;
  stop(): Promise<Exit>;
}

/** Runs the built program until it ends. */
export const run = (args: string[], options: ProcessOptions = {}): Promise<Exit> =>
  start(args, options).exited;

/** Starts the built program on a free port, in memory by default. Resolves when it is ready. */
export async function serve(args: string[] = [], options: ProcessOptions = {}): Promise<Service> {
  const isSet = (name: string) =>
    args.includes(`--${name}`) || `UNDERSTUDY_${name.toUpperCase()}` in (options.variables ?? {});
  const kept = isSet('data') || isSet('store');
  const defaults = [
    'serve',
    '--json',
    ...(kept ? [] : ['--memory']),
    // Most tests that read stderr are not about the log lines of calls.
    ...(hasLogLevel(args, options) ? [] : ['--log-level', 'warn']),
    ...(hasPort(args) ? [] : anyPort(options)),
  ];
  const started = start([...defaults, ...args], options);
  const line = await started.line(/^\{.*\}$/m);
  return serviceOf(started, JSON.parse(line) as Announced);
}

/** A temporary folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the files that an image or a package holds, so that a test may change them. */
export function copyPackage(): { folder: string; program: string } {
  refuseUnbuilt(PROGRAM);
  const folder = makeFolder();
  for (const part of ['dist', 'fixtures', 'probes', 'scenarios', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (file) => !/\.(map|local\.cache)$/.test(file),
    });
  return { folder, program: join(folder, 'dist', 'understudy.js') };
}

/**
 * A free port, for tests that must name a port or listen on it twice. It lies below the range from which
 * systems choose ephemeral ports, so that no other test gets it in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Shorter than the timeout of a test, so that the error shows the last value. */
const TIMEOUT = 100_000;

/** Calls `ask` until its result is as wanted. */
export async function eventually<T>(ask: () => Promise<T> | T, isWanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + TIMEOUT;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() > end) throw new Error(`still not as wanted: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Calls `look` until it does not throw. */
export async function eventuallyHolds(look: () => Promise<void> | void): Promise<void> {
  const failureOf = async (): Promise<unknown> => {
    try {
      await look();
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  };
  const isOver = performance.now() + TIMEOUT;
  for (let failure = await failureOf(); failure !== undefined; failure = await failureOf()) {
    if (performance.now() > isOver) throw failure;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Announced = Pick<Service, 'url' | 'client_id' | 'client_secret' | 'version'>;
type Started = ReturnType<typeof follow>;

/** Starts the built program without waiting until it is ready. */
export function start(
  args: string[],
  { variables = {}, cwd, program = PROGRAM, under = [] }: ProcessOptions = {},
): Started {
  refuseFastTest();
  refuseUnbuilt(program);
  const own = Object.entries(process.env).filter(([name]) => !/^(UNDERSTUDY_|PORT$|NODE_|VITEST)/.test(name));
  const env = { ...Object.fromEntries(own), ...variables };
  const [command, ...line] = [...under, process.execPath, program, ...args];
  return follow(spawn(command!, line, { cwd: cwd ?? makeFolder(), env }));
}

/** Collects the output of a process and kills the process after the test. */
export function follow(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }) as Exit);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output, exited, line };

  /** The first match in stdout. Rejects with all output when the process ends first. */
  async function line(pattern: RegExp): Promise<string> {
    const found = new Promise<string>((resolve) => {
      const look = () => {
        const [text] = pattern.exec(output.stdout) ?? [];
        if (text === undefined || !output.stdout.includes('\n')) return;
        listeners.delete(look);
        resolve(text);
      };
      listeners.add(look);
      look();
    });
    const ended = exited.then((exit) => Promise.reject(new Error(`ended early: ${JSON.stringify(exit)}`)));
    return Promise.race([found, ended]);
  }
}

function serviceOf({ child, output, exited }: Started, announced: Announced): Service {
  const { url, client_id, client_secret } = announced;
  const anonymous = agent(url, {});
  return {
    ...announced,
    pid: child.pid!,
    anonymous,
    control: agent(`${url}/_control/v1`, {}),
    async login() {
      const form = { grant_type: 'client_credentials', client_id, client_secret };
      const { body } = await anonymous.post('/oauth/token').type('form').send(form).expect(200);
      return agent(url, { authorization: `Bearer ${body.access_token as string}` });
    },
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => void child.kill(signal),
    exited,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function agent(url: string, headers: Record<string, string>): Agent {
  const verb = (name: keyof Agent) => (path: string) => supertest(url)[name](path).set(headers);
  return {
    get: verb('get'),
    post: verb('post'),
    put: verb('put'),
    patch: verb('patch'),
    delete: verb('delete'),
  };
}

/** Keeps `npm test` fast: only slow tests may start a process. */
function refuseFastTest(): void {
  const file = expect.getState().testPath ?? '';
  if (!file.endsWith('.slow.test.ts'))
    throw new Error(`${file} starts a process: name it ${basename(file, '.test.ts')}.slow.test.ts`);
}

function refuseUnbuilt(program: string): void {
  if (!existsSync(program)) throw new Error(`${program} is missing: build it with npm run build`);
}

const hasLogLevel = (args: string[], { variables = {} }: ProcessOptions) =>
  args.includes('--log-level') || 'UNDERSTUDY_LOG_LEVEL' in variables;

const hasPort = (args: string[]) => args.includes('--port');

const anyPort = ({ variables = {} }: ProcessOptions) =>
  'PORT' in variables || 'UNDERSTUDY_PORT' in variables ? [] : ['--port', '0'];
