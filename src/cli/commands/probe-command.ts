import { Command, Option } from 'commander';
import type { ProbeOptions } from '../probe.ts';
import type { Terminal } from '../service/connect.ts';
import { countOfSome } from '../variables.ts';
import { clientOptions, paceOption } from './client-options.ts';

const HELP = `
Without --yes, the command prints what it would do and calls nothing. A run removes what it has made, also after Ctrl+C.

Exit codes: 0 if the service does all that the rules say, 1 otherwise.`;

/** `understudy probe`. The signal of `interruption` is aborted by Ctrl+C. */
export function probeCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('probe')
    .description(
      'ask a service, such as the real one, whether it does what the unverified rules of Understudy say',
    )
    .addHelpText('after', HELP);
  for (const option of probeOptions()) command.addOption(option);
  return command.action(async (options: ProbeOptions) => {
    const { probe } = await import('../probe.ts');
    await probe(options, terminal, interruption);
  });
}

const probeOptions = (): Option[] => [
  new Option('--against <url>', 'the environment to ask')
    .env('SCALEKIT_ENVIRONMENT_URL')
    .default('http://localhost:8080'),
  ...clientOptions(),
  new Option('--only <area>', 'an area such as roles, or one rule such as roles/absent-permission'),
  new Option('--yes', 'run the probes'),
  paceOption(),
  new Option('--limit <number>', 'the most calls that the run may make').argParser(countOfSome).default(2000),
  new Option('--write-report <file>', 'write the answers to a JSON file'),
  new Option(
    '--apply <file>',
    'show which entries of the ledger an answer file would change, and call nothing',
  ),
  new Option('--json', 'print the answers as JSON'),
];
