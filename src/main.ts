import { Command, CommanderError, type Option } from 'commander';
import { announcement, configOf, type ServeOptions } from './cli/serve-config.ts';
import { configCommand } from './cli/config/config-command.ts';
import { usePortOfConfigFile, readConfigFile } from './cli/config/find-config-file.ts';
import { LineBuffer } from './cli/line-buffer.ts';
import { refuseUnclear, serveOptions } from './cli/options.ts';
import type { Running } from './cli/serve.ts';
import { forgetServiceLink, warningsFor } from './cli/variables.ts';
import type { Config } from './start/config.ts';
import { readVersion } from './contract/documents.ts';
import { openLog } from './start/open-log.ts';
import { loadParts, type Terminal } from './parts.ts';

const { env } = process;
let isServing = false;
/** Of a command that ends by itself when it is stopped. */
let stopping: AbortController | undefined;

/** Where commands that call a running service read and write. */
const terminal: Terminal = {
  variables: env,
  platform: process.platform,
  isWatched: process.stderr.isTTY,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  fail: () => void (process.exitCode = 1),
};

/** Messages for the user go to stderr. */
const lines = new LineBuffer((text) => void process.stderr.write(text));

export function run(): void {
  // Deprecations in bundled packages do not concern the user.
  process.noDeprecation = true;
  process.stdout.on('error', onOutputFailed);
  void main().catch(fail);
}

export const hasServed = (): boolean => isServing;

/** A reader such as `head` may close the output early. The service goes on without it. */
function onOutputFailed({ code, message }: NodeJS.ErrnoException): void {
  if (isServing) return;
  if (stopping) return stopping.abort(code);
  if (code === 'EPIPE') process.exit();
  exitWithError(`the output cannot be written: ${message}`);
}

/** Starts the service inside another program, which loads this file as a library. */
export async function start(wanted: Partial<Config>, write: (line: string) => void): Promise<Running> {
  const { embed } = await import('./cli/serve.ts');
  return embed(wanted, write);
}

async function main(): Promise<void> {
  forgetServiceLink(env);
  await usePortOfConfigFile(process.argv.slice(2), env, (line) => terminal.err(`warning: ${line}\n`));
  const program = new Command('understudy')
    .description('Simulates the Scalekit API for tests and development.')
    .enablePositionalOptions() // `env create --json`: the flag belongs to `create`, which inherits the setting
    .version(readVersion())
    .configureOutput({ outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}\n`) })
    .addHelpText('after', '\n`understudy serve --help` lists the flags of the service.');
  program.addCommand(serveCommand(), { isDefault: true });
  if (!isServe(process.argv.slice(2))) await addOtherCommands(program);
  for (const command of program.commands) inheritOptions(command, program);
  const words = process.argv.slice(2);
  await refuseUnknown(program, words);
  // Commander's own `help` stops at the first of several words.
  const [first, ...named] = words;
  await program.parseAsync(first === 'help' && named.length > 1 ? [...named, '--help'] : words, {
    from: 'user',
  });
}

/** Whether only the service can be meant. The other commands are then left out, because to make them takes time. */
const isServe = ([first = 'serve', ...others]: readonly string[]): boolean =>
  first === 'serve' ||
  (/^--./.test(first) && ![first, ...others].some((each) => /^(--help|-h|--version|-V)$/.test(each)));

async function addOtherCommands(program: Command): Promise<void> {
  program.addCommand(configCommand(terminal));
  program.addCommand(healthcheckCommand());
  const shell = { terminal, interruption, exit: () => process.exit() };
  for (const { commands } of await loadParts())
    for (const command of (await commands?.(shell)) ?? []) program.addCommand(command);
  await addCompletion(program);
}

/** `completion` prints a script for the shell, which calls `complete` at each press of the Tab key. */
async function addCompletion(program: Command): Promise<void> {
  const description = 'print the completion script of bash, zsh, fish or powershell';
  if (!['complete', 'completion'].includes(process.argv[2] ?? ''))
    return void program.command('completion <shell>').description(description);
  const { default: addCommands } = await import('@bomb.sh/tab/commander');
  addCommands(program, { completionCommandName: 'completion' });
  // The completion knows a command by its name only.
  const at = process.argv.indexOf('--') + 1;
  const named = program.commands.find((each) => each.aliases().includes(process.argv[at] ?? ''));
  if (named) process.argv[at] = named.name();
}

/** Commander would take an unknown command for an argument of the command that runs without a name. */
async function refuseUnknown(parent: Command, [name = '-', ...rest]: readonly string[]): Promise<void> {
  const command = parent.commands.find((each) => [each.name(), ...each.aliases()].includes(name));
  if (command) return command.commands.length > 0 ? refuseUnknown(command, rest) : undefined;
  if (name === 'help') return refuseUnknown(parent, rest);
  if (name.startsWith('-')) return;
  const { suggestAmong } = await import('@understudy/text/suggestion');
  const known = [...parent.commands.map((each) => each.name()), 'help'];
  // `environments` is `env` written in full.
  const short = known.find((each) => name.startsWith(each));
  const hint = short === undefined ? suggestAmong(name, known) : `; did you mean ${short}?`;
  const place = parent.parent ? `${parent.name()} ` : '';
  parent.error(`error: unknown command ${place}${name}${hint}`);
}

function inheritOptions(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const each of command.commands) inheritOptions(each, command);
}

function serveCommand(): Command {
  const command = new Command('serve').description('start the service (the default command)');
  for (const option of serveOptions(env)) command.addOption(option);
  return command.action(serve);
}

async function serve(options: ServeOptions, command: Command): Promise<void> {
  isServing = true;
  refuseUnclear(command, env);
  await readConfigFile(command, '.');
  const config = configOf(options, command, env);
  const { startServing } = await import('./cli/serve.ts');
  process.once('exit', lines.flush);
  const { warn } = openLog(config, lines.add);
  const flags = command.options.map(({ envVar }) => envVar);
  for (const warning of warningsFor(env, flags)) warn(warning);
  const starting = startServing(config, lines.add);
  stopWhenAsked(async () => (await starting).stop(), options.stopWithStdin);
  const { url } = await starting;
  terminal.out(announcement(url, config, options.json === true));
}

/** Stops only once: npm repeats a signal that the terminal has already sent. */
function stopWhenAsked(stop: () => Promise<string[]>, stopWithStdin: boolean): void {
  let stopping = false;
  const stopOnce = () => {
    if (stopping) return;
    stopping = true;
    stop().then(exitAfterRun, fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stopOnce);
  // A pipe closes; a file such as /dev/null only ends.
  if (stopWithStdin) process.stdin.on('error', stopOnce).on('close', stopOnce).on('end', stopOnce).resume();
}

/**
 * Aborted with the name of the signal by SIGTERM, by the end of the terminal and by the first Ctrl+C, and by the end of the
 * output's reader. The second Ctrl+C ends the process.
 */
function interruption(): AbortSignal {
  const stop = (stopping = new AbortController());
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort(signal));
  process.stderr.on('error', () => {}); // the terminal is gone
  process.once('SIGINT', () => {
    stop.abort('SIGINT');
    process.once('SIGINT', () => process.exit(130));
  });
  return stop.signal;
}

function exitAfterRun(failures: readonly string[]): never {
  process.stderr.write(failures.map((line) => `${line}\n`).join(''));
  process.exit(failures.length > 0 ? 1 : 0);
}

/** The flags of `serve` that say which service is asked. */
const HEALTH_HELP: Readonly<Record<string, string>> = {
  port: 'the port of the service',
  host: 'the address that the service listens on',
};

function described(option: Option): Option {
  option.description = HEALTH_HELP[option.name()]!;
  return option;
}

function healthcheckCommand(): Command {
  const command = new Command('healthcheck').description(
    'exit with 0 if a service on this machine is ready; takes the flags of serve, and in a container reads those of the main process',
  );
  for (const option of serveOptions(env))
    command.addOption(HEALTH_HELP[option.name()] ? described(option) : option.hideHelp());
  command.addHelpText('after', '\nExit codes: 0 if the service is ready, 1 otherwise.');
  return command.action(async () => {
    const { healthProblem, serviceAddressOf } = await import('./cli/healthcheck.ts');
    const flaw = await healthProblem(
      await serviceAddressOf(command, serveOptions(env), process.argv[1] ?? ''),
    );
    if (flaw !== undefined) exitWithError(flaw);
  });
}

async function fail(thrown: unknown): Promise<never> {
  // A command with exit codes of its own has told the user why.
  if (thrown instanceof CommanderError) process.exit(thrown.exitCode);
  const { explain } = await import('./cli/explain.ts');
  return exitWithError(explain(thrown));
}

function exitWithError(line: string): never {
  lines.flush();
  process.stderr.write(`understudy: ${line}\n`);
  process.exit(1);
}
