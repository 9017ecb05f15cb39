import type { Command } from 'commander';
import { CertificateError } from '../server/certificates/certificates.ts';
import { ConfigError, DEFAULTS, KNOWN_CREDENTIALS, reportPlaces, type Config } from '../start/config.ts';
import type { Variables } from './variables.ts';
import { readVersion } from '../contract/documents.ts';
import { withoutPassword } from '@understudy/text/addresses';

export interface ServeOptions extends Omit<
  Config,
  | 'data'
  | 'store'
  | 'tls'
  | 'scenarios'
  | 'scenarioFolders'
  | 'fixtureFolders'
  | 'webhooks'
  | 'journal'
  | 'credentials'
  | 'controlToken'
  | 'controlOrigins'
  | 'allowHosts'
  | 'report'
  | 'stepSummary'
> {
  config?: string;
  data: string;
  store?: string;
  memory?: true;
  tlsCert?: string;
  tlsKey?: string;
  tlsHost: string[];
  scenario: string[];
  scenarios: string[];
  fixtures: string[];
  controlOrigin: string[];
  allowHost: string[];
  webhook: string[];
  report: string[];
  stopWithStdin: boolean;
  journalEntries: number;
  journalBytes: number;
  redact: boolean;
  json?: true;
}

/**
 * Turns flags and variables into the configuration. Throws CertificateError if only one of certificate and
 * key is given.
 */
export function configOf(options: ServeOptions, command: Command, variables: Variables): Config {
  const { data: _, memory: __, store: ___, scenario, scenarios, fixtures, ...others } = options;
  const { journalEntries, journalBytes, redact, controlOrigin, allowHost, ...more } = others;
  const { tlsCert, tlsKey, tlsHost, webhook, report, config: _config, ...rest } = more;
  return {
    ...DEFAULTS,
    ...rest,
    ...placeOf(options, command),
    ...reportPlaces(report, variables),
    scenarios: scenario,
    scenarioFolders: scenarios,
    fixtureFolders: fixtures,
    controlOrigins: controlOrigin,
    allowHosts: allowHost,
    webhooks: webhook,
    tls: { own: configuredCertificate(tlsCert, tlsKey), hosts: tlsHost },
    journal: { entries: journalEntries, bytes: journalBytes, redact },
    credentials: {
      client_id: variables['UNDERSTUDY_CLIENT_ID'] || KNOWN_CREDENTIALS.client_id,
      client_secret: variables['UNDERSTUDY_CLIENT_SECRET'] || KNOWN_CREDENTIALS.client_secret,
    },
    controlToken: variables['UNDERSTUDY_CONTROL_TOKEN'] || undefined,
  };
}

/** Where the state is kept. The command line takes precedence over variables, and a database over a folder. */
function placeOf(
  { data, memory, store, journalStore }: ServeOptions,
  command: Command,
): Pick<Config, 'data' | 'store'> {
  const isMeant = (name: string) => command.getOptionValueSource(name) === 'cli';
  if (isMeant('store') && isMeant('memory')) throw new ConfigError('--store and --memory exclude each other');
  const isOverruled = !isMeant('store') && (isMeant('memory') || isMeant('data'));
  if (store !== undefined && !isOverruled) return { store, data: undefined };
  const isFolderMeant = isMeant('data') && !isMeant('memory');
  if (!memory || isFolderMeant) return { store: undefined, data };
  if (journalStore) throw new ConfigError('--journal-store needs --data or --store: --memory stores nothing');
  return { store: undefined, data: undefined };
}

function configuredCertificate(certificate?: string, key?: string) {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new CertificateError('--tls-cert and --tls-key go together');
  return { certificate, key };
}

/** What `serve` prints once it is ready: address and credentials, for people or as one line of JSON. */
export function announcement(url: string, config: Config, json: boolean): string {
  const { credentials, webhooks, webhookSecret } = config;
  const { client_id, client_secret } = credentials;
  const isTold = webhooks.length > 0;
  if (json) {
    const signing = isTold && { webhook_secret: webhookSecret };
    const ready = { url, client_id, client_secret, ...signing, version: readVersion() };
    return `${JSON.stringify(ready)}\n`;
  }
  // Clients of port 443 use TLS. A program that reads the JSON may not trust our certificate, so it gets the
  // http address. It may look up localhost as ::1 alone, so the JSON has the number; people get the name that the docs use.
  const named = config.baseUrl ?? url.replace('//127.0.0.1', '//localhost');
  const shown = named.replace(/^http:(.*):443$/, 'https:$1');
  const banner = [
    `Understudy ${readVersion()} is ready at ${shown}`,
    '',
    `  client_id      ${client_id}`,
    `  client_secret  ${client_secret}`,
    `  dashboard      ${shown}/_control/`,
    `  API document   ${shown}/openapi.json`,
    `  control API    ${shown}/_control/v1/openapi.json`,
    `  state          ${shownPlace(config)}`,
    ...(isTold ? [`  webhooks to    ${webhooks.join(', ')}`, `  signed with    ${webhookSecret}`] : []),
    '',
  ];
  return `${banner.join('\n')}\n`;
}

function shownPlace({ data, store }: Config): string {
  if (store !== undefined) return `kept in ${withoutPassword(store)}`;
  return data === undefined ? 'in memory' : `kept in ${data}`;
}
