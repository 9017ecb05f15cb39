import type { Config } from '../config.ts';
import { checkOptions, type NamesOf } from '../client/options.ts';

/** How a service for tests is started. Whatever is not said is as `understudy serve --memory --port 0` has it. */
export interface StartOptions {
  /**
   * `in-process` (the default) is the fastest start. A `child-process` shares no event loop, no memory and no fake
   * timers with the tests, and ends with them even when they are killed.
   */
  mode?: 'in-process' | 'child-process';
  /** 0, the default, finds a free one. */
  port?: number;
  /** Where it listens; 127.0.0.1 without it. */
  host?: string;
  /** A folder that keeps the state; in memory without it. */
  data?: string;
  /** Each change is written through to the disk before its answer: it survives a loss of power. */
  fsync?: boolean;
  /** Rows to start with: the name of a fixture, or a file. */
  fixture?: string;
  /** Folders with fixtures of your own, which environments may name. */
  fixtureFolders?: readonly string[];
  /** What is loaded from the start: names or files, with parameters such as `rate-limit-once,retry_after=5`. */
  scenarios?: readonly string[];
  /** Folders with scenarios of your own, to be loaded by name. */
  scenarioFolders?: readonly string[];
  /** What ids, secrets and chance come from. */
  seed?: number;
  /** Refuses request fields that the contract does not name. */
  strict?: boolean;
  /** `stop()` fails while a rule was loaded that was never applied. */
  failOnUnusedRules?: boolean;
  maxEnvironments?: number;
  /** How many events, mails, webhook deliveries and other records of each kind an environment keeps. */
  history?: number;
  /** The address of a user who is signed in without a page, where no other is named. */
  autoLogin?: string;
  /** Those of `default`. */
  clientId?: string;
  clientSecret?: string;
  /** The token that the control API shall want. */
  controlToken?: string;
  /** Origins of web pages that may call the control API, such as `http://localhost:3000`. */
  controlOrigins?: readonly string[];
  /** Hosts at which browsers may call the control API, such as `understudy`, beside those of this machine. */
  allowHosts?: readonly string[];
  /** Addresses that all that happens is sent to, in every environment. */
  webhooks?: readonly string[];
  /** What that is signed with, as `whsec_…`; a known one without it. */
  webhookSecret?: string;
  /** Hosts that may be called, such as `app.example`, `*.app.example`, `10.0.0.0/8`; all without it. */
  webhookAllow?: readonly string[];
  /** Takes the lines that the service tells whoever runs it; they go nowhere without it. */
  log?: (line: string) => void;
  /** `warn` without it; `info` tells every call, `debug` also why it was answered so. */
  logLevel?: Config['logLevel'];
}

const FLAGS = {
  port: '--port',
  host: '--host',
  fixture: '--fixture',
  seed: '--seed',
  maxEnvironments: '--max-environments',
  history: '--history',
  logLevel: '--log-level',
  autoLogin: '--auto-login',
} as const satisfies Partial<Record<keyof StartOptions & keyof Config, string>>;

const VARIABLES = {
  clientId: 'UNDERSTUDY_CLIENT_ID',
  clientSecret: 'UNDERSTUDY_CLIENT_SECRET',
  controlToken: 'UNDERSTUDY_CONTROL_TOKEN',
  webhookSecret: 'UNDERSTUDY_WEBHOOK_SECRET',
} as const;

const SWITCHES = {
  fsync: '--fsync',
  strict: '--strict',
  failOnUnusedRules: '--fail-on-unused-rules',
} as const;

const LISTS = {
  scenarios: '--scenario',
  scenarioFolders: '--scenarios',
  fixtureFolders: '--fixtures',
  controlOrigins: '--control-origin',
  allowHosts: '--allow-host',
  webhooks: '--webhook',
  webhookAllow: '--webhook-allow',
} as const;

const NAMES: NamesOf<StartOptions> = {
  ...FLAGS,
  ...VARIABLES,
  ...SWITCHES,
  ...LISTS,
  mode: true,
  data: true,
  log: true,
};

export const checkStartOptions = (options: StartOptions): void =>
  checkOptions('startUnderstudy', options, NAMES);

/** The options as the command line has them. */
export function flagsOf(options: StartOptions): string[] {
  const { data, port = 0, logLevel = 'warn' } = options;
  const valued = entriesOf(FLAGS, { ...options, port, logLevel }).flatMap(([flag, value]) => [
    flag,
    String(value),
  ]);
  const lists = entriesOf(LISTS, options).flatMap(([flag, values]) => values.flatMap((each) => [flag, each]));
  const switches = entriesOf(SWITCHES, options).flatMap(([flag, on]) => (on ? [flag] : []));
  return [...(data === undefined ? ['--memory'] : ['--data', data]), ...valued, ...lists, ...switches];
}

/** Those of them that were said, under the names of the table. */
const entriesOf = <K extends keyof StartOptions>(table: Record<K, string>, options: StartOptions) =>
  (Object.keys(table) as K[]).flatMap((name): [string, NonNullable<StartOptions[K]>][] => {
    const value = options[name];
    return value === undefined || value === null ? [] : [[table[name], value]];
  });

/** A complaint of the service, with the names that options have here in the place of flags. */
export function inOptions(complaint: string): string {
  const flags = { ...FLAGS, ...SWITCHES, ...LISTS, data: '--data' };
  const names = new Map(Object.entries(flags).map(([name, flag]) => [flag, name]));
  return complaint
    .replace(/option '(--[a-z-]+)[^']*'( argument)?/g, (whole, flag: string) =>
      names.has(flag) ? `option ${names.get(flag)}` : whole,
    )
    .replace(/--[a-z-]+/g, (flag) => (names.has(flag) ? `the option ${names.get(flag)}` : flag));
}

/** What is no flag, since other processes could read it there. */
export const variablesOf = (options: StartOptions): Record<string, string> =>
  Object.fromEntries(entriesOf(VARIABLES, options));

/** The options as the program has them. */
export function configOf(options: StartOptions, known: Config['credentials']): Partial<Config> {
  const { mode: _mode, log: _log, clientId, clientSecret, ...config } = options;
  const credentials = {
    client_id: clientId ?? known.client_id,
    client_secret: clientSecret ?? known.client_secret,
  };
  const said = Object.entries({ ...config, credentials }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said);
}
