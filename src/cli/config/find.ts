import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../config.ts';

export const TEXTS: readonly string[] = ['.yaml', '.yml', '.json'];
export const PROGRAMS: readonly string[] = ['.ts', '.mts', '.js', '.mjs'];

/**
 * The config file that `--config` names, or the one in the folder. `off` means none. Throws ConfigError if the
 * folder has several.
 */
export function findConfigFile(command: Command, folder: string): string | undefined {
  const named = command.getOptionValue('config') as string | undefined;
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
