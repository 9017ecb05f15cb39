import { dirname, isAbsolute } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { Complaints } from '../../scenarios/complaints.ts';
import { isObject } from '../../text/json.ts';
import { suggest, oneOf } from '../../text/suggestion.ts';
import { loadConfigFile, type ConfigFile } from './config-file.ts';
import { findConfigFile } from './find-config-file.ts';
import { settingsOf, type Setting } from './settings.ts';
import { isFileName } from '../../scenarios/scenario-files.ts';
import { parseReference, type Path } from '../../scenarios/path.ts';
import type { ListReader } from '../option-values.ts';

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

interface Context {
  /** Relative paths start here. */
  folder: string;
  complaints: Complaints;
}

/** Reads the value of a setting as its flag does, and adds what is wrong to the complaints. */
function readSetting(setting: Setting, written: unknown, context: Context): unknown {
  const { kind, key } = setting;
  const { complaints } = context;
  if (kind === 'switch') {
    if (typeof written !== 'boolean') complaints.add([key], 'must be true or false');
    return written;
  }
  if (kind !== 'list') return readValue(setting, written, [key], context);
  if (Array.isArray(written))
    return written.map((each, index) => readValue(setting, each, [key, index], context));
  complaints.add([key], 'must be a list of strings');
  return written;
}

/** Reads a single value, or an entry of a list. */
function readValue(setting: Setting, written: unknown, path: Path, { folder, complaints }: Context): unknown {
  const flaw = flawIn(setting, written);
  if (flaw !== undefined) {
    complaints.add(path, flaw);
    return written;
  }
  try {
    return readerOf(setting)(locatedAt(folder, String(written), setting));
  } catch (thrown) {
    if (!(thrown instanceof InvalidArgumentError)) throw thrown;
    complaints.add(path, thrown.message.replace(/^It /, '').replace(/\.$/, ''));
    return written;
  }
}

function flawIn({ kind, option: { argChoices } }: Setting, value: unknown): string | undefined {
  if (kind === 'number') return Number.isInteger(value) ? undefined : 'must be a whole number';
  if (typeof value === 'number' || typeof value === 'boolean') return `must be a string: write "${value}"`;
  if (typeof value !== 'string') return 'must be a string';
  return argChoices && !argChoices.includes(value) ? oneOf(argChoices, value) : undefined;
}

function readerOf({ kind, option: { parseArg } }: Setting): (text: string) => unknown {
  if (kind === 'list') return (parseArg as ListReader).entry;
  return (text) => (parseArg ? parseArg(text, undefined as never) : text);
}

/** `fixture` and `scenario` take names, too. */
const NAMED_FILES = ['fixture', 'scenario'];

function locatedAt(folder: string, text: string, { key, placeholder = '' }: Setting): string {
  const isPath = ['file', 'folder'].includes(placeholder);
  const isFile = NAMED_FILES.includes(key) && isFileName(parseReference(text).name);
  return folder === '.' || isAbsolute(text) || !(isPath || isFile) ? text : `${folder}/${text}`;
}
