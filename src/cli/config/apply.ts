import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Complaints } from '../../scenarios/complaints.ts';
import { isObject } from '../../text/json.ts';
import { suggest } from '../../text/suggestion.ts';
import { loadConfigFile, type ConfigFile } from './config-file.ts';
import { findConfigFile } from './find.ts';
import { readSetting } from './read-setting.ts';
import { settingsOf, type Setting } from './settings.ts';

/**
 * Sets what the config file says and neither a flag nor a variable does. Resolves relative paths in the folder of
 * the file. Throws ScenarioError with file, line and column for unknown settings and invalid values.
 */
export function applyConfigFile(command: Command, folder: string): ConfigFile | undefined {
  const name = findConfigFile(command, folder);
  if (name === undefined) return undefined;
  const file = loadConfigFile(name, folder);
  const settings = settingsOf(command.options);
  const kept = new Set(settings.filter(({ keepsDefault }) => keepsDefault).map(({ key }) => key));
  for (const [key, value] of valuesOf(file, settings))
    if ([undefined, 'default'].includes(command.getOptionValueSource(key)) && !kept.has(key))
      command.setOptionValueWithSource(key, value, 'config');
  return file;
}

/** A file without content, or with comments only, has no settings. */
function valuesOf({ file, value, locate }: ConfigFile, settings: readonly Setting[]): Map<string, unknown> {
  const complaints = new Complaints(file, locate);
  const keys = settings.map(({ key }) => key);
  const values = new Map<string, unknown>();
  if (!isObject(value ?? {})) complaints.add([], 'must be an object with settings, such as port: 9000');
  else if (isObject(value) && 'then' in value)
    complaints.add([], 'must be an object with settings, not a promise');
  for (const [key, written] of Object.entries(isObject(value) ? value : {})) {
    if (written === undefined) continue;
    const setting = settings.find((each) => each.key === key);
    if (setting) values.set(key, readSetting(setting, written, { folder: dirname(file), complaints }));
    else if (key !== '$schema')
      complaints.add([key], `no such setting${suggest(key, keys) || ALL_SETTINGS}`, 'key');
  }
  complaints.throwIfAny();
  return values;
}

const ALL_SETTINGS = '; `understudy config --config off` lists all';
