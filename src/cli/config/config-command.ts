import { Command, Option } from 'commander';
import type { Terminal } from '../../parts.ts';
import { refuseUnclear, serveOptions } from '../options.ts';

const EXIT_CODES = '\nExit codes: 0 if the settings are valid, 1 otherwise.';

/** `understudy config` takes the flags of `serve`. */
export function configCommand({ variables, out }: Terminal): Command {
  const options = serveOptions(variables);
  const command = new Command('config')
    .description('print the settings that serve would use with the same flags, and where each comes from')
    .addHelpText('after', EXIT_CODES);
  for (const option of options) command.addOption(option);
  command.addOption(new Option('--schema', 'print the JSON schema of a config file'));
  return command.action(async ({ json, schema }: { json?: true; schema?: true }) => {
    const { applyConfigFile, configSchema, describeSettings } = await import('./apply.ts');
    if (schema) return out(`${JSON.stringify(configSchema(options), null, 2)}\n`);
    refuseUnclear(command, variables);
    out(describeSettings(command, applyConfigFile(command, '.'), json === true));
  });
}
