import { Command, InvalidArgumentError, Option } from 'commander';
import { KNOWN_CREDENTIALS } from '../../config.ts';
import { parseDuration } from '../../text/duration.ts';
import type { ProbeOptions } from '../probe.ts';
import type { Terminal } from '../service/connect.ts';
import { countOfSome } from '../variables.ts';

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
  new Option('--client-id <id>', 'its client').env('SCALEKIT_CLIENT_ID').default(KNOWN_CREDENTIALS.client_id),
  new Option(
    '--client-secret <secret>',
    "the client's secret; better in the variable than on the command line",
  )
    .env('SCALEKIT_CLIENT_SECRET')
    .default(KNOWN_CREDENTIALS.client_secret, "that of Understudy's default environment"),
  new Option('--only <area>', 'an area such as roles, or one rule such as roles/absent-permission'),
  new Option('--yes', 'run the probes'),
  new Option('--pace <duration>', 'the time between two calls').argParser(milliseconds).default(200, '200ms'),
  new Option('--limit <number>', 'the most calls that the run may make').argParser(countOfSome).default(2000),
  new Option('--write-report <file>', 'write the answers to a JSON file'),
  new Option(
    '--apply <file>',
    'show which entries of the ledger an answer file would change, and call nothing',
  ),
  new Option('--json', 'print the answers as JSON'),
];

function milliseconds(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('It must be a duration such as 200ms.');
  return duration;
}
