import { tmpdir } from 'node:os';
import { Command, Option } from 'commander';
import type { Terminal } from '@understudy/core/parts';
import { urlOption } from '@understudy/core/cli/options';
import type { Variables } from '@understudy/core/cli/variables';
import type { EnvOptions } from '../project/trust.ts';
import { ENVIRONMENTS } from './environment-commands.ts';
import { addServiceCommands } from './service-command.ts';

export function envCommand(terminal: Terminal): Command {
  const { variables, out } = terminal;
  const command = new Command('env').description(
    'print the variables with which an official SDK calls a running service',
  );
  for (const option of envOptions(variables)) command.addOption(option);
  return addServiceCommands(command, ENVIRONMENTS, terminal).action(
    async (options: Omit<EnvOptions, 'folder' | 'token' | 'variables'>) => {
      const { env: variablesFor } = await import('../project/env.ts');
      const token = variables['UNDERSTUDY_CONTROL_TOKEN'] || undefined;
      out(await variablesFor({ ...options, folder: tmpdir(), token, variables }));
    },
  );
}

const SDKS = ['node', 'python', 'go', 'java'] as const;
export type Sdk = (typeof SDKS)[number];

export const ENV_FORMATS = ['shell', 'dotenv', 'json', 'docker', 'github'] as const;

export const envOptions = (variables: Variables): Option[] => [
  new Option('--sdk <name>', 'the SDK to configure (default: what all SDKs have in common)').choices(SDKS),
  urlOption(variables),
  new Option('--environment <name>', 'the environment whose credentials are printed').default('default'),
  new Option('--format <format>', 'the output format').choices(ENV_FORMATS).default('shell'),
  new Option(
    '--ca-file <file>',
    'where to write the certificate to trust (default: a new file in the temporary folder)',
  ),
];
