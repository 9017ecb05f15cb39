import type { Credentials } from '../state/credentials.ts';
import type { JournalSettings } from '../journal/journal-writer.ts';
import type { LogFormat, LogLevel } from '@understudy/text/log';

/** The certificate for TLS. */
interface TlsSettings {
  /** PEM files of the user; undefined: a local authority signs a certificate. */
  own: { certificate: string; key: string } | undefined;
  /** Additional names and addresses for the certificate. */
  hosts: readonly string[];
}

/** All settings of `understudy serve`. */
export interface Config {
  port: number;
  host: string;
  /** Undefined: derived from each request. */
  baseUrl: string | undefined;
  /** The data folder; undefined: everything stays in memory. */
  data: string | undefined;
  /** The address of a PostgreSQL database, used in place of the data folder; it may hold a password. */
  store: string | undefined;
  /** Each change survives a loss of power before it is answered. */
  fsync: boolean;
  fixture: string;
  /** The user's folders with fixtures. */
  fixtureFolders: readonly string[];
  /** Names or files, with parameters such as `rate-limit-once,retry_after=5`. */
  scenarios: readonly string[];
  /** The user's folders with scenarios. */
  scenarioFolders: readonly string[];
  seed: number;
  /** Not counting `default`. */
  maxEnvironments: number;
  /** Milliseconds without use; Infinity: never dropped. */
  environmentTtl: number;
  strict: boolean;
  /** The process exits with a failure if a loaded rule was never applied. */
  failOnUnusedRules: boolean;
  /** Files, or folders with a slash at the end, for the report that is written when the service stops. */
  report: readonly string[];
  /** The file to which the summary of the run is appended when the service stops. */
  stepSummary: string | undefined;
  /** The email for sign-ins that name nobody; no page is shown. */
  autoLogin: string | undefined;
  /** Rows that each history of an environment keeps: events, mails, deliveries and so on. */
  history: number;
  /** For each environment. */
  journal: JournalSettings;
  /** The calls are stored with the state. */
  journalStore: boolean;
  /** Webhook addresses that receive all events of every environment. */
  webhooks: readonly string[];
  /** The signing secret of these webhooks. */
  webhookSecret: string;
  /** Patterns of hosts that webhooks, interceptors and logout calls may call; empty: every host. */
  webhookAllow: readonly string[];
  /** Where calls to a provider are passed on to: `github=http://localhost:4001`. */
  proxyTo: readonly string[];
  trustProxy: boolean;
  tls: TlsSettings;
  logLevel: LogLevel;
  logFormat: LogFormat;
  watch: boolean;
  credentials: Credentials;
  controlToken: string | undefined;
  /** Origins of pages that may call the control API. */
  controlOrigins: readonly string[];
  /** Additional host names under which browsers may call the control API. */
  allowHosts: readonly string[];
}

/** Fixed, so that a compose file can name them. */
export const KNOWN_CREDENTIALS: Credentials = {
  client_id: 'skc_1000000000000000001',
  client_secret: 'test_understudy_default_secret',
};

/** Fixed as well: 24 bytes, as in the secrets of the service. */
export const KNOWN_WEBHOOK_SECRET = 'whsec_dW5kZXJzdHVkeSB3ZWJob29rIGtleSAx';

/** `--report github` writes to the file that this variable names. GitHub shows it on the page of the job. */
const STEP_SUMMARY = { report: 'github', variable: 'GITHUB_STEP_SUMMARY' } as const;

/** The files of `reports`, and the file of GitHub's summary if they name it and the runner of GitHub is there. */
export function reportPlaces(
  reports: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Pick<Config, 'report' | 'stepSummary'> {
  const files = reports.filter((each) => each !== STEP_SUMMARY.report);
  const isWanted = files.length < reports.length;
  return { report: files, stepSummary: (isWanted && variables[STEP_SUMMARY.variable]) || undefined };
}

/** An invalid setting; the message names the flag. */
export class ConfigError extends Error {}

export const DEFAULTS: Config = {
  port: 8080,
  host: '127.0.0.1',
  baseUrl: undefined,
  data: './data',
  store: undefined,
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
  report: [],
  stepSummary: undefined,
  autoLogin: undefined,
  history: 10_000,
  journal: { entries: 1000, bytes: 4_000_000, redact: true },
  journalStore: false,
  webhooks: [],
  webhookSecret: KNOWN_WEBHOOK_SECRET,
  webhookAllow: [],
  proxyTo: [],
  trustProxy: false,
  tls: { own: undefined, hosts: [] },
  logLevel: 'info',
  logFormat: 'text',
  watch: false,
  credentials: KNOWN_CREDENTIALS,
  controlToken: undefined,
  controlOrigins: [],
  allowHosts: [],
};
