import { Command, Option } from 'commander';
import type { RecordOptions } from '../record.ts';
import type { Terminal } from '../service/connect.ts';
import { listed } from '../options.ts';
import { portNumber } from '../variables.ts';

const HELP = `
Let your application call the recorder instead of the service. The recorder passes on every call unchanged. Secrets are
replaced before an exchange is written. An exchange that still has something that looks like a secret is not written, and
the command says where it is.

Exit codes: 0 if every exchange is written, 1 otherwise.`;

/** `understudy record`. The signal of `interruption` is aborted by Ctrl+C. */
export function recordCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('record')
    .description('pass calls on to a service, such as the real one, and record them without secrets')
    .addHelpText('after', HELP);
  for (const option of recordOptions()) command.addOption(option);
  return command.action(async (options: RecordOptions) => {
    const { record } = await import('../record.ts');
    await record(options, terminal, interruption());
  });
}

const recordOptions = (): Option[] => [
  new Option('--to <url>', 'the address of the environment to record')
    .env('SCALEKIT_ENVIRONMENT_URL')
    .makeOptionMandatory(),
  new Option(
    '--out <folder>',
    'the folder of the recording, a new one or one of the same service',
  ).makeOptionMandatory(),
  new Option('--port <number>', 'the port of the recorder; 0 for any free one')
    .argParser(portNumber)
    .default(8090),
  new Option('--host <address>', 'the address to listen on').default('127.0.0.1'),
  new Option('--webhooks-to <url>', 'where webhooks go on to that come to /_record/webhooks'),
  new Option('--allow <field>', 'fields whose values may look like secrets, and are written as they are')
    .argParser(listed)
    .default([], 'none'),
  new Option(
    '--data <folder>',
    'the folder with the certificate authority of understudy serve, for TLS',
  ).default('./data'),
  new Option('--tls-host <name>', 'more names for the certificate').argParser(listed).default([], 'none'),
];
