import { availableParallelism } from 'node:os';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '@understudy/core/cli/usage-error';
import type { Terminal } from '@understudy/core/parts';
import { listed, references } from '@understudy/core/cli/options';
import { countOfSome, wholeNumber } from '@understudy/core/cli/variables';
import { parseDuration } from '@understudy/text/duration';
import { SDKS } from '../sdk/programs.ts';
import type { SweepOptions } from './sweep.ts';

const HELP = `
The command starts your tests once to learn which calls each test makes. Then it runs them again with each failure that each call
can have, and says what they did with it. Tests find the service by UNDERSTUDY_URL, as test helpers do, or by
SCALEKIT_ENVIRONMENT_URL. With a test helper, each failure runs only the tests that reach it.

Example: understudy sweep -- npx vitest run

Exit codes: 0 if no fault was found, 1 if one was found, 2 if the sweep cannot be made.`;

const FAILED = 2;

/** `understudy sweep`. The signal of `interruption` is aborted by Ctrl+C. */
export function sweepCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('sweep')
    .description('run your tests against every failure that their calls can have')
    .argument('[command...]', 'the command that runs the tests, with its arguments')
    .addHelpText('after', HELP);
  for (const option of sweepOptions()) command.addOption(option);
  // The program hands its settings on to its commands.
  command.copyInheritedSettings = (program) =>
    Command.prototype.copyInheritedSettings
      .call(command, program)
      .exitOverride(({ exitCode, code, message }) => {
        throw new CommanderError(exitCode && FAILED, code, message);
      });
  return command.action(async (words: string[], options: Omit<Options, 'command'>) => {
    try {
      await run({ ...options, command: words }, terminal, interruption());
    } catch (thrown) {
      const { explain } = await import('@understudy/core/cli/explain');
      terminal.err(`understudy: ${explain(thrown)}\n`);
      throw new CommanderError(FAILED, 'understudy.sweep', 'the sweep cannot be made');
    }
  });
}

/** In milliseconds. */
function positiveDuration(text: string): number {
  const duration = parseDuration(text) ?? 0;
  if (duration === 0) throw new InvalidArgumentError('It must be a duration, such as 90s or 10m.');
  return duration;
}

/** Official SDKs for which there is no program. */
const WITHOUT_PROGRAM = ['go', 'java'];

function sdkNamed(name: string): keyof typeof SDKS {
  if (Object.hasOwn(SDKS, name)) return name as keyof typeof SDKS;
  const known = Object.keys(SDKS).join(' or ');
  throw new InvalidArgumentError(
    WITHOUT_PROGRAM.includes(name)
      ? `There is no program for the SDK of ${name} yet. It must be ${known}.`
      : `It must be ${known}.`,
  );
}

type Options = SweepOptions & { sdk?: keyof typeof SDKS };

async function run({ sdk, ...options }: Options, terminal: Terminal, signal: AbortSignal): Promise<void> {
  if ((sdk === undefined) === (options.command.length === 0))
    throw new UsageError(
      'give the command that runs the tests, such as understudy sweep -- npx vitest run, or --sdk without a command',
    );
  if (sdk !== undefined) return (await import('./sdk.ts')).sweepSdk(sdk, options, terminal, signal);
  await (await import('./sweep.ts')).sweep(options, terminal, signal);
}

const sweepOptions = (): Option[] => [...casesOptions(), ...resultOptions()];

/** Which failures are tried, and how. */
const casesOptions = (): Option[] => [
  new Option(
    '--failure <names>',
    'only these failures, with commas between them, such as slow,rate-limited',
  ).argParser(listed),
  new Option('--operation <glob>', 'only calls of these operations, such as OrganizationService_*'),
  new Option(
    '--scenario <name>',
    'a scenario with the parameter operation, with values for its others, as one more failure; repeatable',
  ).argParser(references),
  new Option(
    '--sdk <language>',
    'in place of tests: print a table of what the official SDK that is installed here does with each failure',
  ).argParser(sdkNamed),
  new Option('--case <number>', 'only the case of this number, which reports show').argParser(countOfSome),
  new Option('--time <duration>', 'begin no further case after this time, such as 10m').argParser(
    positiveDuration,
  ),
  new Option('--jobs <number>', 'how many runs of the tests there are at once')
    .argParser(countOfSome)
    .default(availableParallelism()),
  new Option('--seed <number>', 'the number that ids, secrets and random values come from')
    .argParser(wholeNumber)
    .default(1),
];

/** Where results come from and go to. */
const resultOptions = (): Option[] => [
  new Option(
    '--accept <file>',
    'a file with a line for each fault that is accepted: OPERATION FAILURE VERDICT # REASON (default: sweep.accept, if there is one)',
  ),
  new Option(
    '--baseline <file>',
    'the JSON report of an earlier sweep: only faults that it does not have count',
  ),
  new Option(
    '--resume <file>',
    'the JSON report of a sweep that was interrupted: its cases are not run again',
  ),
  new Option(
    '--report <files>',
    'write reports to these files, with commas between them: .html, .xml (JUnit), .json; github prints annotations',
  ).argParser(listed),
];
