import { Command, Option } from 'commander';
import type { PullOptions } from '../pull.ts';
import type { Terminal } from '../service/connect.ts';
import { clientOptions, paceOption } from './client-options.ts';

const HELP = `
The command makes GET calls only, and one call for a token. FILE.partial has what was read so far, until the fixture
is written. After Ctrl+C or a failure, run the same command again to continue from there.

Exit codes: 0 if the fixture is written, 1 otherwise.`;

/** `understudy pull`. The signal of `interruption` is aborted by Ctrl+C. */
export function pullCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('pull')
    .description('read an environment, such as one of the real service, into a fixture without personal data')
    .addHelpText('after', HELP);
  for (const option of pullOptions()) command.addOption(option);
  return command.action(async (options: PullOptions) => {
    const { pull } = await import('../pull.ts');
    await pull(options, terminal, interruption());
  });
}

const pullOptions = (): Option[] => [
  new Option('--from <url>', 'the address of the environment to read')
    .env('SCALEKIT_ENVIRONMENT_URL')
    .default('http://localhost:8080'),
  ...clientOptions(),
  new Option('--out <file>', 'the fixture to write').makeOptionMandatory(),
  new Option('--keep <field...>', "fields that keep their values, such as metadata; '*' for all").default(
    [],
    'none',
  ),
  new Option(
    '--seed <text>',
    'the same seed gives the same invented names; anybody who knows it can check a guessed name',
  ).default('1'),
  new Option('--update', 'merge into an existing file'),
  paceOption(),
];
