import { dirname, isAbsolute } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { Complaints } from '../../scenarios/complaints.ts';
import { isFileName } from '../../scenarios/folders.ts';
import { parseReference, type Path } from '../../scenarios/path.ts';
import { isObject } from '../../text/json.ts';
import { oneOf, suggestAmong } from '../../text/suggestion.ts';
import { loadConfigFile, type ConfigFile } from './config-file.ts';
import { findConfigFile } from './find.ts';
import { settingsOf, type Setting } from './settings.ts';

/**
 * Sets what the config file says and neither a flag nor a variable does. Resolves relative paths in the folder of
 * the file. Throws ScenarioError with file, line and column for unknown settings and invalid values.
 */
export function applyConfigFile(command: Command, folder: string): ConfigFile | undefined {
  const name = findConfigFile(command, folder);
  if (name === undefined) return undefined;
  const file = loadConfigFile(name, folder);
  for (const [key, value] of valuesOf(file, settingsOf(command.options)))
    if ([undefined, 'default'].includes(command.getOptionValueSource(key)))
      command.setOptionValueWithSource(key, value, 'config');
  return file;
}

function valuesOf({ file, value, locate }: ConfigFile, settings: readonly Setting[]): Map<string, unknown> {
  const complaints = new Complaints(file, locate);
  const keys = settings.map(({ key }) => key);
  const values = new Map<string, unknown>();
  if (!isObject(value)) complaints.add([], 'must be an object with settings');
  for (const [key, written] of Object.entries(isObject(value) ? value : {})) {
    const setting = settings.find((each) => each.key === key);
    if (setting) values.set(key, readValue(setting, written, dirname(file), complaints));
    else if (key !== '$schema') complaints.add([key], `no such setting${suggestAmong(key, keys)}`, 'key');
  }
  complaints.throwIfAny();
  return values;
}

const WANTED = {
  switch: 'must be true or false',
  number: 'must be a whole number',
  text: 'must be a text',
  list: 'must be a list of texts',
} as const;

function readValue(setting: Setting, written: unknown, folder: string, complaints: Complaints): unknown {
  const { kind, key } = setting;
  const isRight = isOfKind(kind, written);
  if (!isRight) complaints.add([key], WANTED[kind]);
  if (!isRight || kind === 'switch') return written;
  const given = Array.isArray(written)
    ? written.map((each, index) => [each, [key, index]])
    : [[written, [key]]];
  return given.reduce<unknown>(
    (before, [each, path]) =>
      parse(setting, locatedAt(folder, String(each), setting), before, path as Path, complaints),
    [],
  );
}

function isOfKind(kind: Setting['kind'], value: unknown): boolean {
  if (kind === 'switch') return typeof value === 'boolean';
  if (kind === 'number') return Number.isInteger(value);
  if (kind === 'text') return typeof value === 'string';
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Reads a text as the flag does. `before`: the elements of a list before this one. */
function parse(
  { option }: Setting,
  text: string,
  before: unknown,
  path: Path,
  complaints: Complaints,
): unknown {
  const { argChoices, parseArg } = option;
  if (argChoices) {
    if (!argChoices.includes(text)) complaints.add(path, oneOf(argChoices, text));
    return text;
  }
  try {
    return parseArg ? parseArg(text, before as never) : text;
  } catch (thrown) {
    if (!(thrown instanceof InvalidArgumentError)) throw thrown;
    complaints.add(path, thrown.message.replace(/^It /, '').replace(/\.$/, ''));
    return before;
  }
}

/** `fixture` and `scenario` take names, too. */
const NAMED_FILES = ['fixture', 'scenario'];

function locatedAt(folder: string, text: string, { key, placeholder = '' }: Setting): string {
  const isPath = ['file', 'folder'].includes(placeholder);
  const isFile = NAMED_FILES.includes(key) && isFileName(parseReference(text).name);
  return folder === '.' || isAbsolute(text) || !(isPath || isFile) ? text : `${folder}/${text}`;
}
