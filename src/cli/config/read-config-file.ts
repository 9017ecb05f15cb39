import type { Command } from 'commander';
import { findConfigFile } from './find.ts';

/**
 * Sets what the config file says and neither a flag nor a variable does. The reader of YAML is loaded only if
 * there is a file.
 */
export async function readConfigFile(command: Command, folder: string): Promise<void> {
  if (findConfigFile(command, folder) === undefined) return;
  const { applyConfigFile } = await import('./apply.ts');
  applyConfigFile(command, folder);
}
