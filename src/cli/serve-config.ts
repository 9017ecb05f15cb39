import type { Command } from 'commander';
import { CertificateError } from '../server/certificates/certificates.ts';
import { DEFAULTS, KNOWN_CREDENTIALS, type Config } from '../config.ts';
import type { Variables } from './variables.ts';

export interface ServeOptions extends Omit<
  Config,
  | 'data'
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
> {
  config?: string;
  data: string;
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
  const { data, memory, scenario, scenarios, fixtures, ...others } = options;
  const { journalEntries, journalBytes, redact, controlOrigin, allowHost, ...more } = others;
  const { tlsCert, tlsKey, tlsHost, webhook, config: _config, ...rest } = more;
  // A folder on the command line takes precedence over a variable and over the config file.
  const isFolderMeant =
    command.getOptionValueSource('data') === 'cli' && command.getOptionValueSource('memory') !== 'cli';
  return {
    ...DEFAULTS,
    ...rest,
    data: memory && !isFolderMeant ? undefined : data,
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

function configuredCertificate(certificate?: string, key?: string) {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new CertificateError('--tls-cert and --tls-key go together');
  return { certificate, key };
}
