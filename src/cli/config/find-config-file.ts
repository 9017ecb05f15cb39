import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config.ts';

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
