import type { Credentials } from './environment/credentials.ts';
import type { JournalSettings } from './environment/journal/journal.ts';
import type { LogLevel } from './log.ts';

/** What callers that speak TLS are shown. */
export interface TlsSettings {
  /** PEM files of the user's own; without them, what a local authority signs. */
  own: { certificate: string; key: string } | undefined;
  /** Names and addresses for it, beside those of this machine. */
  hosts: readonly string[];
}

/** All that `understudy serve` can be told. */
export interface Config {
  port: number;
  host: string;
  /** undefined: what each request says of itself. */
  baseUrl: string | undefined;
  /** The data folder; undefined keeps everything in memory. */
  data: string | undefined;
  /** Each change outlives a loss of power before it is answered. */
  fsync: boolean;
  fixture: string;
  /** Folders of the user's own where fixtures are found by name. */
  fixtureFolders: readonly string[];
  /** What to load: names or files, with parameters such as `rate-limit-once,retry_after=5`. */
  scenarios: readonly string[];
  /** Where the user's own are. */
  scenarioFolders: readonly string[];
  seed: number;
  /** Besides `default`. */
  maxEnvironments: number;
  /** Milliseconds that an environment may go unused; Infinity: for ever. */
  environmentTtl: number;
  strict: boolean;
  /** A stop is a failure while a rule was loaded that was never applied. */
  failOnUnusedRules: boolean;
  /** The address of whom every sign-in is for that names nobody: no page is shown. */
  autoLogin: string | undefined;
  /** How many rows each history of an environment keeps: events, mails, deliveries and the like. */
  history: number;
  /** Of each environment. */
  journal: JournalSettings;
  /** Addresses that all that happens is sent to, in every environment. */
  webhooks: readonly string[];
  /** What that is signed with. */
  webhookSecret: string;
  /** Patterns of hosts that may be called by webhooks, interceptors and back channels; none: every host. */
  webhookAllow: readonly string[];
  trustProxy: boolean;
  tls: TlsSettings;
  logLevel: LogLevel;
  watch: boolean;
  credentials: Credentials;
  controlToken: string | undefined;
  /** Origins of pages that may call the control API. */
  controlOrigins: readonly string[];
  /** Names of hosts at which browsers may call it, beside those of this machine. */
  allowHosts: readonly string[];
}

/** Known to everyone, so that a compose file can name them. */
export const KNOWN_CREDENTIALS: Credentials = {
  client_id: 'skc_1000000000000000001',
  client_secret: 'test_understudy_default_secret',
};

/** Known to everyone, too: 24 bytes, as the service's are. */
export const KNOWN_WEBHOOK_SECRET = 'whsec_dW5kZXJzdHVkeSB3ZWJob29rIGtleSAx';

/** The service was told something that it can make no sense of; the message names the flag. */
export class ConfigError extends Error {}

export const DEFAULTS: Config = {
  port: 8080,
  host: '127.0.0.1',
  baseUrl: undefined,
  data: './data',
  fsync: false,
  fixture: 'default',
  fixtureFolders: [],
  scenarios: [],
  scenarioFolders: [],
  seed: 1,
  maxEnvironments: 1000,
  environmentTtl: 3_600_000,
  strict: false,
  failOnUnusedRules: false,
  autoLogin: undefined,
  history: 10_000,
  journal: { entries: 1000, bytes: 4_000_000, redact: true },
  webhooks: [],
  webhookSecret: KNOWN_WEBHOOK_SECRET,
  webhookAllow: [],
  trustProxy: false,
  tls: { own: undefined, hosts: [] },
  logLevel: 'info',
  watch: false,
  credentials: KNOWN_CREDENTIALS,
  controlToken: undefined,
  controlOrigins: [],
  allowHosts: [],
};
