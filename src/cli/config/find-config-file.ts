import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { ConfigError } from '../../start/config.ts';
import { serveOptions } from '../options.ts';
import type { Variables } from '../variables.ts';

export const TEXTS: readonly string[] = ['.yaml', '.yml', '.json'];
export const PROGRAMS: readonly string[] = ['.ts', '.mts', '.js', '.mjs'];

/**
 * The config file that `--config` names, or the one in the folder. `off` means none. Throws ConfigError if the
 * folder has several.
 */
export function findConfigFile(command: Command, folder: string): string | undefined {
  const named = command.getOptionValue('config') as string | undefined;
  if (named === '') throw new ConfigError('--config needs the name of a file, or off');
  if (named !== undefined) return named === 'off' ? undefined : named;
  const names = [...TEXTS, ...PROGRAMS].map((extension) => `understudy.config${extension}`);
  const [found, another] = names.filter((name) => existsSync(join(folder, name)));
  if (another !== undefined)
    throw new ConfigError(`both ${found} and ${another} are here: keep one, or name it with --config`);
  return found;
}

/**
 * Sets what the config file says and neither a flag nor a variable does. The reader of YAML is loaded only if
 * there is a file.
 */
export async function readConfigFile(command: Command, folder: string): Promise<void> {
  if (findConfigFile(command, folder) === undefined) return;
  const { applyConfigFile } = await import('./apply.ts');
  applyConfigFile(command, folder);
}

/** Commands that do not call a running service. */
const OTHERS = ['serve', 'config', 'healthcheck', 'fixtures', 'types', 'completion', 'complete', 'help'];

/** Arguments with which a command needs no default address. */
const WITHOUT_DEFAULT = /^(--help|-h|--url(=.*)?|lint)$/;

/**
 * Lets commands that call a running service find it at the port of the config file in the working folder. A file with
 * mistakes is no reason to refuse them: `serve` names the mistakes. `warn` gets the reason why the port is not used.
 */
export async function usePortOfConfigFile(
  [name = '-', ...rest]: readonly string[],
  variables: Variables,
  warn: (line: string) => void,
): Promise<void> {
  if (name.startsWith('-') || OTHERS.includes(name) || rest.some((each) => WITHOUT_DEFAULT.test(each)))
    return;
  if (variables['UNDERSTUDY_PORT'] || variables['UNDERSTUDY_URL']) return;
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of serveOptions(variables)) command.addOption(option);
  try {
    command.parse([], { from: 'user' });
    await readConfigFile(command, '.');
  } catch (thrown) {
    return warn(`the port of the config file is not used: ${(thrown as Error).message.split('\n')[0]!}`);
  }
  const port = command.getOptionValue('port') as number;
  if (command.getOptionValueSource('port') === 'config' && port > 0)
    variables['UNDERSTUDY_PORT'] = String(port);
}
