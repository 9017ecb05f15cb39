import { Command, Option } from 'commander';
import type { RecordOptions } from './record.ts';
import type { Terminal } from '@understudy/core/parts';
import { listed } from '@understudy/core/cli/options';
import { portNumber } from '@understudy/core/cli/variables';

const HELP = `
Give your application the address of the recorder, http://localhost:8090, instead of the address of the service. The recorder
passes every call on to the service, and every answer back, without a change. It writes each call with its answer to the
folder --out, with stand-ins for secrets. If a value may still be a secret, it leaves out this call, and prints where the value is.
Ctrl+C ends the recorder. Then compare the recording with Understudy: understudy drift FOLDER.

With a COMMAND after --, such as \`understudy record --out recording -- npm test\`, the recorder runs it with the variables
SCALEKIT_ENVIRONMENT_URL and SCALEKIT_ENV_URL set to its own address, and ends with it.

Exit codes: that of the command if it has failed; otherwise 0 if every call is written, and 1 if not.`;

/** `understudy record`. The signal of `interruption` is aborted by Ctrl+C. */
export function recordCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('record')
    .description(
      'write down the calls of your application to a service, such as the real one, and its answers',
    )
    .argument('[command...]', 'a program to run while recording, with its arguments')
    .addHelpText('after', HELP);
  for (const option of recordOptions()) command.addOption(option);
  return command.action(async (words: string[], options: Omit<RecordOptions, 'command'>) => {
    const { record } = await import('./record.ts');
    await record({ ...options, command: words }, terminal, interruption());
  });
}

const recordOptions = (): Option[] => [
  new Option('--to <url>', 'the address of the service, such as https://acme.scalekit.dev')
    .env('SCALEKIT_ENVIRONMENT_URL')
    .makeOptionMandatory(),
  new Option(
    '--out <folder>',
    'the folder to write to: a new one, or an earlier recording of the same service',
  ).makeOptionMandatory(),
  new Option('--port <number>', 'the port of the recorder; 0 for any free one')
    .argParser(portNumber)
    .default(8090),
  new Option('--host <address>', 'the address to listen on').default('127.0.0.1'),
  new Option(
    '--webhooks-to <url>',
    'the address of your application that gets the webhooks that the service sends to /_record/webhooks',
  ),
  new Option(
    '--allow <field>',
    'write this field as it is, although its value looks like a secret; several with commas between',
  )
    .argParser(listed)
    .default([], 'none'),
  new Option(
    '--data <folder>',
    'the folder with the certificate authority of understudy serve, for TLS',
  ).default('./data'),
  new Option(
    '--tls-host <name>',
    'another host name under which your application calls the recorder over TLS',
  )
    .argParser(listed)
    .default([], 'none'),
];
