import { Command } from 'commander';
import { serveOptions } from '../options.ts';
import type { Variables } from '../variables.ts';
import { readConfigFile } from './find.ts';

/** Commands that do not call a running service. */
const OTHERS = ['serve', 'config', 'healthcheck', 'fixtures', 'types', 'completion', 'complete', 'help'];

/** Lets commands that call a running service find it at the port of the config file in the working folder. */
export async function usePortOfConfigFile(name = '-', variables: Variables): Promise<void> {
  if (name.startsWith('-') || OTHERS.includes(name) || variables['UNDERSTUDY_PORT']) return;
  const command = new Command();
  for (const option of serveOptions(variables)) command.addOption(option);
  command.parse([], { from: 'user' });
  await readConfigFile(command, '.');
  if (command.getOptionValueSource('port') === 'config')
    variables['UNDERSTUDY_PORT'] = String(command.getOptionValue('port'));
}
