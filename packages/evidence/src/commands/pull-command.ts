import { Command, Option } from 'commander';
import type { PullOptions } from './pull.ts';
import type { Terminal } from '@understudy/core/parts';
import { clientOptions, paceOption } from './client-options.ts';

const HELP = `
The command changes nothing in the environment: it gets a token, and makes GET calls. The fixture has invented names and
addresses in place of those of people, and no secrets. Start Understudy with it: understudy serve --fixture FILE

While the command reads, FILE.partial has what it has read so far. After Ctrl+C or a failure, run the same command again: it
goes on from there.

Exit codes: 0 if the fixture is written, 1 otherwise.`;

/** `understudy pull`. The signal of `interruption` is aborted by Ctrl+C. */
export function pullCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('pull')
    .description(
      'copy the rows of an environment, such as one of the real service, to a fixture, without personal data',
    )
    .addHelpText('after', HELP);
  for (const option of pullOptions()) command.addOption(option);
  return command.action(async (options: PullOptions) => {
    const { pull } = await import('./pull.ts');
    await pull(options, terminal, interruption());
  });
}

const pullOptions = (): Option[] => [
  new Option('--from <url>', 'the address of the environment to read')
    .env('SCALEKIT_ENVIRONMENT_URL')
    .default('http://localhost:8080'),
  ...clientOptions(),
  new Option('--out <file>', 'the fixture to write').makeOptionMandatory(),
  new Option(
    '--keep <field...>',
    "fields whose real values the fixture gets, such as metadata; '*' for all fields",
  ).default([], 'none'),
  new Option(
    '--seed <text>',
    'what invented names are made from; anybody who knows it can check whether a guessed name is right',
  ).default('1'),
  new Option('--update', 'bring an earlier fixture of --out up to date, and keep what you added to it'),
  paceOption(),
];
