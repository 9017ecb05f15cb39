import { Command, Option } from 'commander';
import type { ProbeOptions } from './probe.ts';
import type { Terminal } from '@understudy/core/parts';
import { countOfSome } from '@understudy/core/cli/variables';
import { clientOptions, paceOption } from './client-options.ts';

const HELP = `
Without --yes, the command prints the calls that it would make, and makes none. A run removes what it has created, even
after Ctrl+C.

Exit codes: 0 if the service follows all rules and nothing is left behind, 1 otherwise.`;

/** `understudy probe`. The signal of `interruption` is aborted by Ctrl+C. */
export function probeCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('probe')
    .description('check whether a service, such as the real one, follows the rules that Understudy guesses')
    .addHelpText('after', HELP);
  for (const option of probeOptions()) command.addOption(option);
  return command.action(async (options: ProbeOptions) => {
    const { probe } = await import('./probe.ts');
    await probe(options, terminal, interruption);
  });
}

const probeOptions = (): Option[] => [
  new Option('--against <url>', 'the address of the environment to check')
    .env('SCALEKIT_ENVIRONMENT_URL')
    .default('http://localhost:8080'),
  ...clientOptions(),
  new Option(
    '--only <area>',
    'check only an area such as roles, or one rule such as roles/absent-permission',
  ),
  new Option('--yes', 'run the probes'),
  paceOption(),
  new Option('--limit <number>', 'the most calls that the run may make').argParser(countOfSome).default(2000),
  new Option('--write-report <file>', 'write the answers to a JSON file'),
  new Option('--apply <files...>', 'show which rules the answers in these files settle, and make no call'),
  new Option('--json', 'print the answers as JSON; with --apply, what they settle'),
];
