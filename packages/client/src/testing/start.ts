import { spawn, type ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as passing } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Fixture, ScenarioName, UncheckedName } from '../control.ts';
import { type Config, DEFAULTS, KNOWN_CREDENTIALS, reportPlaces } from '@understudy/core/config';
import { checkOptions, type NamesOf } from '../transport.ts';
import type { embed } from '@understudy/core/cli/serve';
import { loadProgram } from '@understudy/core/load-program';

/** How to start a service for tests. The defaults are those of `understudy serve --memory --port 0`. */
export interface StartOptions {
  /**
   * `in-process` (the default) starts fastest. A `child-process` shares no event loop, memory or fake timers
   * with the tests, and ends with them even if they are killed.
   */
  mode?: 'in-process' | 'child-process';
  /** Default 0: a free port. */
  port?: number;
  /** The address to listen on; 127.0.0.1 if omitted. */
  host?: string;
  /** A folder for the state; in memory if omitted. */
  data?: string;
  /** Writes each change to the disk before the reply, so that it survives a power failure. */
  fsync?: boolean;
  /** The initial rows: the name of a fixture, or a file. */
  fixture?: Fixture | `${string}.json`;
  /** Folders with your own fixtures, for environments to name. */
  fixtureFolders?: readonly string[];
  /**
   * Scenarios to load at the start: names or files, with parameters such as `rate-limit-once,retry_after=5`.
   */
  scenarios?: readonly StartScenario[];
  /** Folders with your own scenarios, to be loaded by name. */
  scenarioFolders?: readonly string[];
  /** The seed of ids, secrets and random values. */
  seed?: number;
  /** Rejects request fields that the contract does not name. */
  strict?: boolean;
  /** Makes `stop()` fail if a loaded rule was never applied. */
  failOnUnusedRules?: boolean;
  maxEnvironments?: number;
  /** How many events, mails, webhook deliveries and other records of each kind an environment keeps. */
  history?: number;
  /** The address of a user who is signed in without a page, unless the request names another one. */
  autoLogin?: string;
  /** The client id of the environment `default`. */
  clientId?: string;
  clientSecret?: string;
  /** The token that the control API requires. */
  controlToken?: string;
  /** Origins of web pages that may call the control API, such as `http://localhost:3000`. */
  controlOrigins?: readonly string[];
  /**
   * Hosts under which browsers may call the control API, such as `understudy`, besides those of this machine.
   */
  allowHosts?: readonly string[];
  /** Addresses that receive every event of every environment. */
  webhooks?: readonly string[];
  /** The secret that signs these webhooks, as `whsec_…`; a fixed one if omitted. */
  webhookSecret?: string;
  /**
   * Hosts that the service may call, such as `app.example`, `*.app.example`, `10.0.0.0/8`; all if omitted.
   */
  webhookAllow?: readonly string[];
  /** Where calls to a provider are passed on to, such as `github=http://localhost:4001`. */
  proxyTo?: readonly string[];
  /** The address of issuer and links; from each request if omitted. */
  baseUrl?: string;
  /** Trusts the headers of a proxy that name host and protocol. */
  trustProxy?: boolean;
  /** PEM files; a local authority signs a certificate if omitted. */
  tlsCert?: string;
  tlsKey?: string;
  /** More names and addresses for the certificate. */
  tlsHosts?: readonly string[];
  /** The address of a PostgreSQL database that keeps the state. */
  store?: string;
  /** Milliseconds after which an unused environment is dropped; 0 is never. */
  environmentTtl?: number;
  /** How many calls the journal of an environment keeps, and how many bytes they may take. */
  journalEntries?: number;
  journalBytes?: number;
  /** With `data`: keeps these calls after the end. A database always keeps them. */
  journalStore?: boolean;
  /** `false` shows secrets in the journal. */
  redact?: boolean;
  /**
   * Files for the report that is written at the stop: .html, .xml for JUnit, .json, .md, or a folder, such as `reports/`,
   * for the files of several services. `github` is the summary of the job in GitHub Actions.
   */
  report?: readonly string[];
  logFormat?: Config['logFormat'];
  /** Reloads fixture and scenario files when they change. */
  watch?: boolean;
  /** Receives the lines that the service logs; they are dropped if omitted. */
  log?: (line: string) => void;
  /** `warn` if omitted; `info` logs every call, `debug` also explains its reply. */
  logLevel?: Config['logLevel'];
}

/** A name or a file, with parameters after commas. */
type StartScenario =
  | ScenarioName
  | `${ScenarioName},${string}`
  | `${string}.${'yaml' | 'yml' | 'json'}${string}`
  | UncheckedName;

const FLAGS = {
  port: '--port',
  host: '--host',
  fixture: '--fixture',
  seed: '--seed',
  maxEnvironments: '--max-environments',
  history: '--history',
  logLevel: '--log-level',
  autoLogin: '--auto-login',
  baseUrl: '--base-url',
  tlsCert: '--tls-cert',
  tlsKey: '--tls-key',
  journalEntries: '--journal-entries',
  journalBytes: '--journal-bytes',
  logFormat: '--log-format',
} as const satisfies Partial<Record<keyof StartOptions, string>>;

/** In milliseconds. */
const DURATIONS = {
  environmentTtl: '--environment-ttl',
} as const;

const VARIABLES = {
  clientId: 'UNDERSTUDY_CLIENT_ID',
  clientSecret: 'UNDERSTUDY_CLIENT_SECRET',
  controlToken: 'UNDERSTUDY_CONTROL_TOKEN',
  webhookSecret: 'UNDERSTUDY_WEBHOOK_SECRET',
  store: 'UNDERSTUDY_STORE',
} as const;

const SWITCHES = {
  fsync: '--fsync',
  strict: '--strict',
  failOnUnusedRules: '--fail-on-unused-rules',
  trustProxy: '--trust-proxy',
  journalStore: '--journal-store',
  watch: '--watch',
} as const;

const LISTS = {
  scenarios: '--scenario',
  scenarioFolders: '--scenarios',
  fixtureFolders: '--fixtures',
  controlOrigins: '--control-origin',
  allowHosts: '--allow-host',
  webhooks: '--webhook',
  webhookAllow: '--webhook-allow',
  proxyTo: '--proxy-to',
  tlsHosts: '--tls-host',
  report: '--report',
} as const;

const NAMES: NamesOf<StartOptions> = {
  ...FLAGS,
  ...DURATIONS,
  ...VARIABLES,
  ...SWITCHES,
  ...LISTS,
  redact: true,
  mode: true,
  data: true,
  log: true,
};

export const checkStartOptions = (options: StartOptions): void =>
  checkOptions('startUnderstudy', options, NAMES);

/** The files that the variable `UNDERSTUDY_REPORT` names for the report of a run of tests. */
export const wantedReports = (): string[] =>
  (process.env['UNDERSTUDY_REPORT'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** The options as flags of the command line. */
export function flagsOf(options: StartOptions): string[] {
  const { port = 0, logLevel = 'warn' } = options;
  const valued = entriesOf(FLAGS, { ...options, port, logLevel }).flatMap(([flag, value]) => [
    flag,
    String(value),
  ]);
  const lists = entriesOf(LISTS, options).flatMap(([flag, values]) => values.flatMap((each) => [flag, each]));
  const switches = entriesOf(SWITCHES, options).flatMap(([flag, on]) => (on ? [flag] : []));
  const durations = entriesOf(DURATIONS, options).flatMap(([flag, value]) => [flag, `${value}ms`]);
  const shown = options.redact === false ? ['--no-redact'] : [];
  return [...placeOf(options), ...valued, ...durations, ...lists, ...switches, ...shown];
}

/** `store` is a variable, and `--memory` would win over it. */
function placeOf({ data, store }: StartOptions): string[] {
  if (data !== undefined) return ['--data', data];
  return store === undefined ? ['--memory'] : [];
}

/** The given options, under the names of the table. */
const entriesOf = <K extends keyof StartOptions>(table: Record<K, string>, options: StartOptions) =>
  (Object.keys(table) as K[]).flatMap((name): [string, NonNullable<StartOptions[K]>][] => {
    const value = options[name];
    return value === undefined || value === null ? [] : [[table[name], value]];
  });

/** Replaces flags in an error message with the names of options. */
function withOptionNames(complaint: string): string {
  const flags = { ...FLAGS, ...DURATIONS, ...SWITCHES, ...LISTS, data: '--data', store: '--store' };
  const names = new Map(Object.entries(flags).map(([name, flag]) => [flag, name]));
  return complaint
    .replace(/option '(--[a-z-]+)[^']*'( argument)?/g, (whole, flag: string) =>
      names.has(flag) ? `option ${names.get(flag)}` : whole,
    )
    .replace(/--[a-z-]+/g, (flag) => (names.has(flag) ? `the option ${names.get(flag)}` : flag));
}

/** Secrets are variables, because other processes could read flags. */
export const variablesOf = (options: StartOptions): Record<string, string> =>
  Object.fromEntries(entriesOf(VARIABLES, options));

/** The options as the program's configuration. */
function configOf(options: StartOptions, known: Config['credentials']): Partial<Config> {
  const { mode: _mode, log: _log, clientId, clientSecret, report = [], ...others } = options;
  const { tlsCert, tlsKey, tlsHosts = [], journalEntries, journalBytes, redact, ...config } = others;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new Error('tlsCert and tlsKey go together');
  const own = tlsCert && tlsKey ? { certificate: tlsCert, key: tlsKey } : undefined;
  const { entries, bytes, redact: hides } = DEFAULTS.journal;
  const journal = {
    entries: journalEntries ?? entries,
    bytes: journalBytes ?? bytes,
    redact: redact ?? hides,
  };
  const lifetime = config.environmentTtl === 0 ? { environmentTtl: Infinity } : {};
  const credentials = {
    client_id: clientId ?? known.client_id,
    client_secret: clientSecret ?? known.client_secret,
  };
  const given = Object.entries({
    ...config,
    ...lifetime,
    ...reportPlaces(report, process.env),
    journal,
    tls: { own, hosts: tlsHosts },
    credentials,
  }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

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
