// Reads the values of flags. A wrong value throws commander's error.

import { isIP } from 'node:net';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { splitReferences } from '../scenarios/path.ts';
import { parseDuration } from '@understudy/text/duration';
import { DEFAULTS } from '../start/config.ts';
import { goneOptions } from './gone-options.ts';
import { LOG_FORMATS, LOG_LEVELS } from '@understudy/text/log';
import {
  type Variables,
  countOfSome,
  emailAddress,
  portNumber,
  webAddress,
  wholeNumber,
} from './variables.ts';

/** Values that turn a flag off. */
const OFF = ['', '0', 'false', 'no', 'off'];
/** In milliseconds. */
function lifetime(text: string): number {
  if (OFF.includes(text)) return Infinity;
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It must be a duration such as 30m, or off.');
  return duration === 0 ? Infinity : duration;
}

/** Reads a repeatable flag. A flag or a variable may hold several values, with commas between them. */
export interface ListReader {
  (text: string, before?: string[]): string[];
  /** Reads an entry of a list in a config file, which is one value, whatever commas it has. */
  entry(this: void, text: string): string;
}

const atCommas = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

function listOf(entry: (text: string) => string, split = atCommas): ListReader {
  const read = (text: string, before: string[] = []) => [...before, ...split(text).map(entry)];
  return Object.assign(read, { entry });
}

export const listed = listOf((text) => text);

/** An empty list would lift the limit, so it is an error. */
const listedHosts = listOf(
  (host) => {
    if (host === '') throw new InvalidArgumentError('It must name a host.');
    return host;
  },
  (text) => (atCommas(text).length === 0 ? [''] : atCommas(text)),
);

/** A name that ends in a number would be an IP address. */
const HOST_NAME = /^(?!(.*\.)?\d+$)(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

const certificateHosts = listOf((host) => {
  if ((isIP(host) && !host.includes('%')) || HOST_NAME.test(host)) return host;
  throw new InvalidArgumentError(
    `${host} is neither the name of a host, such as idp.example, nor an IP address.`,
  );
});

/** Inside a reference, commas stand only before its parameters. */
export const references = listOf((text) => {
  const [, another] = splitReferences(text);
  if (another === undefined) return text;
  throw new InvalidArgumentError(`It must name one scenario; ${another} needs an entry of its own.`);
}, splitReferences);

const REPORT = /^github$|\.(html|xml|json|md)$|[/\\]$/i;

const reportFiles = listOf((file) => {
  if (REPORT.test(file)) return file;
  throw new InvalidArgumentError(
    `${file} must be github, or end in .html, .xml (JUnit), .json, .md, or in / for a folder.`,
  );
});

const ON = ['1', 'true', 'yes', 'on'];

/** The flags of `serve`. Each has a variable: --base-url is UNDERSTUDY_BASE_URL. */
export const serveOptions = (variables: Variables): Option[] => {
  const make: MakeOption = (flags, description) => option(variables, flags, description);
  return [
    ...addressOptions(variables, make),
    ...storeOptions(make),
    ...environmentOptions(make),
    ...webhookOptions(make),
    ...recordOptions(make),
    ...behaviourOptions(make),
    ...goneOptions(make),
  ];
};

/** Most hosting platforms set PORT; UNDERSTUDY_PORT takes precedence. */
function portOption(variables: Variables): Option {
  const named = option(variables, '--port <number>', 'the port; 0 finds a free one (also: PORT)');
  if (!variables['UNDERSTUDY_PORT'] && variables['PORT']) named.env('PORT');
  return named.argParser(portNumber).default(DEFAULTS.port);
}

type MakeOption = (flags: string, description: string) => Option;

const addressOptions = (variables: Variables, make: MakeOption) => [
  portOption(variables),
  make('--host <address>', 'the address to listen on').default(DEFAULTS.host),
  make('--base-url <url>', 'address of issuer and links (default: from each request)').argParser(webAddress),
  make('--trust-proxy', 'trust X-Forwarded-Host, X-Forwarded-Proto and X-Forwarded-For').default(false),
  make('--tls-cert <file>', 'the certificate, as PEM (default: one that a local authority signs)'),
  make('--tls-key <file>', 'its key, as PEM'),
  make('--tls-host <name>', 'one more name or address for the certificate; repeatable')
    .argParser(certificateHosts)
    .default([], 'none'),
  make('--allow-host <name>', 'one more host at which browsers may call the control API; repeatable')
    .argParser(listed)
    .default([], 'none'),
  make('--control-origin <origin>', 'an origin whose web pages may call the control API; repeatable')
    .argParser(listed)
    .default([], 'none'),
];

const storeOptions = (make: MakeOption) => [
  make('--data <folder>', 'the folder of the state').default(DEFAULTS.data),
  make('--store <url>', 'keep the state in PostgreSQL: postgres://user@host:5432/database'),
  make('--fsync', 'write each change to the disk before the reply').default(false),
  make('--memory', 'keep the state in memory only'),
];

const environmentOptions = (make: MakeOption) => [
  make('--fixture <name>', 'the rows to start with: the name of a fixture, or a file').default(
    DEFAULTS.fixture,
  ),
  make('--fixtures <folder>', 'a folder with fixtures of your own; repeatable')
    .argParser(listed)
    .default([], 'none'),
  make(
    '--scenario <name>',
    'a scenario to load: a name or a file, with parameters: rate-limit-once,retry_after=5; repeatable',
  )
    .argParser(references)
    .default([], 'none'),
  make('--scenarios <folder>', 'a folder with scenarios of your own; repeatable')
    .argParser(listed)
    .default([], 'none'),
  make('--seed <number>', 'the seed of ids, secrets and random values')
    .argParser(wholeNumber)
    .default(DEFAULTS.seed),
  make('--max-environments <number>', 'the largest number of environments, besides default')
    .argParser(wholeNumber)
    .default(DEFAULTS.maxEnvironments),
  make('--environment-ttl <duration>', 'drop an environment that was not used for this time; 0 or off: never')
    .argParser(lifetime)
    .default(DEFAULTS.environmentTtl, '1h'),
];

const webhookOptions = (make: MakeOption) => [
  make('--webhook <url>', 'send every event of every environment to this address; repeatable')
    .argParser(listed)
    .default([], 'none'),
  make('--webhook-secret <secret>', 'the secret that signs these deliveries: whsec_ and base64').default(
    DEFAULTS.webhookSecret,
  ),
  make(
    '--webhook-allow <host>',
    'call only this host: app.example, *.app.example, 10.0.0.0/8, each with or without :port; repeatable',
  )
    .argParser(listedHosts)
    .default([], 'every host'),
  make(
    '--proxy-to <provider=url>',
    'pass calls to a provider on to a simulator of it: github=http://localhost:4001; repeatable',
  )
    .argParser(listed)
    .default([], 'none'),
];

const recordOptions = (make: MakeOption) => [
  make('--journal-entries <number>', 'how many calls the journal of an environment keeps; 0 keeps none')
    .argParser(wholeNumber)
    .default(DEFAULTS.journal.entries),
  make(
    '--history <number>',
    'how many events, mails, webhook deliveries and other records of each kind an environment keeps',
  )
    .argParser(countOfSome)
    .default(DEFAULTS.history),
  make('--journal-bytes <number>', 'how many bytes these calls may take')
    .argParser(wholeNumber)
    .default(DEFAULTS.journal.bytes),
  make(
    '--journal-store',
    'with --data: keep these calls after the end of the process; a database always keeps them',
  ).default(false),
  make('--no-redact', 'show secrets in the journal (also: UNDERSTUDY_REDACT=off)'),
];

const behaviourOptions = (make: MakeOption) => [
  make(
    '--config <file>',
    'a file with settings; off reads none (default: understudy.config.yaml, .json or .ts in this folder)',
  ),
  make('--strict', 'reject request fields that the contract does not name').default(false),
  make('--fail-on-unused-rules', 'exit with 1 if a rule of a scenario was never applied').default(false),
  make(
    '--report <file>',
    'write a report when the service stops: .html, .xml (JUnit), .json, .md, a folder/, or github; repeatable',
  )
    .argParser(reportFiles)
    .default([], 'none'),
  make(
    '--auto-login <e-mail>',
    'sign this user in without a page, unless the request names another user',
  ).argParser(emailAddress),
  make(
    '--log-level <level>',
    'how much to log: info writes a line for each call, debug also explains its reply',
  )
    .choices(LOG_LEVELS)
    .default(DEFAULTS.logLevel),
  make('--log-format <format>', 'how log lines are written; json has one object for each line')
    .choices(LOG_FORMATS)
    .default(DEFAULTS.logFormat),
  make('--watch', 'reload fixture and scenario files when they change').default(false),
  make('--stop-with-stdin', 'stop when stdin closes, which happens when the parent process ends').default(
    false,
  ),
  make('--json', 'print exactly one line of JSON on stdout when the service is ready'),
];

/** Variables that keep a switch at its default. They are removed, because commander takes any value for `on`. */
const KEEPING_DEFAULT = new WeakMap<Variables, Set<string>>();

/** A flag with its variable. */
export class VariableOption extends Option {
  /** Whether the variable says the default of a switch, so that a config file must not change it. */
  keepsDefault = false;
}

/**
 * A flag with its variable. Switches can be set to off, and an empty variable counts as not set. `off` in the
 * variable of a flag `--no-…` sets that flag.
 */
function option(variables: Variables, flags: string, description: string): VariableOption {
  const [, no, name = ''] = /--(no-)?([a-z-]+)/.exec(flags) ?? [];
  const variable = `UNDERSTUDY_${name.toUpperCase().replaceAll('-', '_')}`;
  const value = variables[variable]?.toLowerCase() ?? '';
  const keeping = KEEPING_DEFAULT.get(variables) ?? new Set();
  KEEPING_DEFAULT.set(variables, keeping);
  if (value !== '' && !flags.includes('<') && (no === undefined ? OFF : ON).includes(value))
    keeping.add(variable);
  if (value === '' || keeping.has(variable)) delete variables[variable];
  const made = new VariableOption(flags, description);
  made.keepsDefault = keeping.has(variable);
  return made.env(variable);
}

/** Ends the program with commander's error if the variable of a switch is neither on nor off. */
export function refuseUnclear(command: Command, variables: Variables): void {
  for (const { flags, envVar = '', required } of command.options) {
    const value = variables[envVar];
    if (value === undefined || required || [...OFF, ...ON].includes(value.toLowerCase())) continue;
    command.error(
      `error: option '${flags}' value '${value}' from env '${envVar}' is invalid. It must be on or off.`,
    );
  }
}

/** The address of a service that was started with the same variables. */
export function urlOption(variables: Variables): Option {
  const port = variables['UNDERSTUDY_PORT'] || DEFAULTS.port;
  return option(variables, '--url <url>', 'the address of the running service')
    .argParser(webAddress)
    .default(`http://localhost:${port}`);
}

/** The flags of the commands that call a running service. */
export const serviceOptions = (variables: Variables): Option[] => [
  urlOption(variables),
  new Option('--environment <name>', 'the environment to work on').default('default'),
  new Option('--json', 'print JSON in one line; tail prints one line for each event'),
];
