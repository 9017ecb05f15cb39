#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULTS, KNOWN_CREDENTIALS, type Config } from './config.ts';
import { readVersion } from './documents.ts';
import { LOG_LEVELS } from './log.ts';

interface ServeOptions extends Omit<Config, 'data' | 'scenarios' | 'credentials' | 'controlToken'> {
  data: string;
  memory?: true;
  scenario: string[];
  json?: true;
}

const { env } = process;

await main();

async function main(): Promise<void> {
  const program = new Command('understudy')
    .description('A stateful stand-in for an identity and connected-accounts API.')
    .version(readVersion())
    .configureOutput({ outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}\n`) });
  program.addCommand(serveCommand(), { isDefault: false });
  program.addCommand(healthcheckCommand());
  program.addCommand(scenariosCommand());
  program.addCommand(fixturesCommand());
  for (const command of program.commands) command.copyInheritedSettings(program);
  await program.parseAsync();
}

function serveCommand(): Command {
  const command = new Command('serve').description('start the service').action(serve);
  for (const each of [...addressOptions(), ...worldOptions(), ...behaviourOptions()]) command.addOption(each);
  return command;
}

const addressOptions = () => [
  numberOption('--port <number>', 'where to listen; 0 finds a free port').default(portDefault()),
  option('--host <address>', 'where to listen').default(DEFAULTS.host),
  option('--base-url <url>', 'what issuer and links say (default: what each request says)').argParser(
    webAddress,
  ),
  option('--trust-proxy', 'believe X-Forwarded-Host and -Proto').default(false),
];

const worldOptions = () => [
  option('--data <folder>', 'where the state is kept').default(DEFAULTS.data),
  option('--memory', 'keep the state in memory alone'),
  option('--fixture <name>', 'rows to start with: a name in fixtures/ or a file').default(DEFAULTS.fixture),
  option('--scenario <name>', 'load a scenario; repeatable').argParser(collected).default([]),
  numberOption('--seed <number>', 'what ids, secrets and chance come from').default(DEFAULTS.seed),
  numberOption('--max-environments <number>', 'most environments at once').default(DEFAULTS.maxEnvironments),
];

const behaviourOptions = () => [
  option('--strict', 'refuse request fields that the contract does not name').default(false),
  option('--log-level <level>', 'how much to tell').choices(LOG_LEVELS).default(DEFAULTS.logLevel),
  option('--watch', 'reload fixture and scenario files when they change').default(false),
  option('--json', 'once ready, print exactly one line of JSON on stdout'),
];

async function serve({ data, memory, scenario, json, ...rest }: ServeOptions): Promise<void> {
  const credentials = {
    client_id: env['UNDERSTUDY_CLIENT_ID'] || KNOWN_CREDENTIALS.client_id,
    client_secret: env['UNDERSTUDY_CLIENT_SECRET'] || KNOWN_CREDENTIALS.client_secret,
  };
  const config: Config = {
    ...DEFAULTS,
    ...rest,
    data: memory ? undefined : data,
    scenarios: scenario,
    credentials,
    controlToken: env['UNDERSTUDY_CONTROL_TOKEN'] || undefined,
  };
  const { startServing, explain } = await import('./commands/serve.ts');
  try {
    const running = await startServing(config, (line) => void process.stderr.write(line));
    stopOnSignals(() => running.stop());
    announce(running.url, config, json === true);
  } catch (thrown) {
    fail(explain(thrown));
  }
}

function announce(url: string, { credentials, data }: Config, json: boolean): void {
  const { client_id, client_secret } = credentials;
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, client_id, client_secret, version: readVersion() })}\n`);
    return;
  }
  const lines = [
    `Understudy ${readVersion()} is ready at ${url}`,
    '',
    `  client_id      ${client_id}`,
    `  client_secret  ${client_secret}`,
    `  API document   ${url}/openapi.json`,
    `  control API    ${url}/_control/v1/openapi.json`,
    `  state          ${data === undefined ? 'in memory' : `kept in ${data}`}`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Once asked to stop, we stop once: npm passes on a signal that the terminal has sent already. */
function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop().then(
        () => process.exit(0),
        (thrown: unknown) => fail(String(thrown)),
      );
    });
  }
}

function healthcheckCommand(): Command {
  return new Command('healthcheck')
    .description('exit 0 when a service on this machine is ready')
    .addOption(numberOption('--port <number>', 'where it listens').default(portDefault()))
    .action(async ({ port }: { port: number }) => {
      const { isHealthy } = await import('./commands/healthcheck.ts');
      if (!(await isHealthy(port))) fail(`no healthy understudy on port ${port}`);
    });
}

function scenariosCommand(): Command {
  const lint = new Command('lint')
    .description('check scenario files; every mistake is told with its place')
    .argument('<files...>')
    .action(async (files: string[]) => {
      const { lintFiles } = await import('./commands/lint.ts');
      const { lines, good } = lintFiles(files);
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
      if (!good) process.exitCode = 1;
    });
  return new Command('scenarios').description('work with scenario files').addCommand(lint);
}

function fixturesCommand(): Command {
  const generate = new Command('generate')
    .description('write a large fixture')
    .addOption(new Option('--organizations <number>', 'how many').argParser(wholeNumber).default(100))
    .addOption(new Option('--users <number>', 'of each organization').argParser(wholeNumber).default(10))
    .addOption(
      new Option('--seed <number>', 'the same seed writes the same fixture')
        .argParser(wholeNumber)
        .default(1),
    )
    .addOption(new Option('--out <file>', 'where to write it (default: stdout)'))
    .action(
      async ({ out, ...size }: { organizations: number; users: number; seed: number; out?: string }) => {
        const { generateFixture, writeFixture } = await import('./commands/generate-fixture.ts');
        const text = generateFixture(size);
        if (out === undefined) process.stdout.write(text);
        else writeFixture(out, text);
      },
    );
  return new Command('fixtures').description('work with fixtures').addCommand(generate);
}

/** Each flag has its variable: --base-url is UNDERSTUDY_BASE_URL. A flag that is off may be said as 0 or false. */
function option(flags: string, description: string): Option {
  const [, name = ''] = /--([a-z-]+)/.exec(flags) ?? [];
  const variable = `UNDERSTUDY_${name.toUpperCase().replaceAll('-', '_')}`;
  if (!flags.includes('<') && ['', '0', 'false'].includes(env[variable] ?? '')) delete env[variable];
  if (env[variable] === '') delete env[variable];
  return new Option(flags, description).env(variable);
}

const numberOption = (flags: string, description: string) =>
  option(flags, description).argParser(wholeNumber);

function portDefault(): number {
  return env['PORT'] ? wholeNumber(env['PORT']) : DEFAULTS.port;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function webAddress(text: string): string {
  if (!/^https?:\/\/[^/]+/.test(text)) throw new InvalidArgumentError('It must be an http or https address.');
  return text.replace(/\/+$/, '');
}

function collected(text: string, before: string[]): string[] {
  return [...before, ...text.split(',')];
}

function fail(line: string): never {
  process.stderr.write(`understudy: ${line}\n`);
  process.exit(1);
}
