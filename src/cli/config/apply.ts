import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, resolve, dirname, isAbsolute } from 'node:path';
import { features, versions } from 'node:process';
import { type Option, type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../start/config.ts';
import { readRegularFile } from '@understudy/text/files';
import { NOWHERE, type Locate, Complaints } from '../../scenarios/complaints.ts';
import { ScenarioText } from '../../scenarios/scenario-text.ts';
import { PROGRAMS, TEXTS, findConfigFile } from './find-config-file.ts';
import { VariableOption, type ListReader } from '../options.ts';
import { isObject } from '@understudy/text/json';
import { suggest, oneOf } from '@understudy/text/suggestion';
import { isFileName } from '../../scenarios/scenario-files.ts';
import { parseReference, type Path } from '../../scenarios/path.ts';
import { withoutPassword } from '@understudy/text/addresses';
import { table } from '../connect.ts';

/** The content of a config file, and the positions of its members. */
interface ConfigFile {
  file: string;
  value: unknown;
  locate: Locate;
}

/** Throws ScenarioError for a text that cannot be read, ConfigError for a program that does not run. */
function loadConfigFile(file: string, folder: string): ConfigFile {
  const path = folder === '.' ? file : resolve(folder, file);
  const extension = extname(file);
  if (PROGRAMS.includes(extension)) return { file, value: runConfigFile(path, file), locate: NOWHERE };
  if (!TEXTS.includes(extension))
    throw new ConfigError(
      `${file} is not a config file: its name must end in ${[...TEXTS, ...PROGRAMS].join(', ')}`,
    );
  const { value, locate } = textOf(readRegularFile(path), file);
  return { file, value, locate };
}

function textOf(text: string, file: string): ScenarioText {
  try {
    return new ScenarioText(text, file);
  } catch (thrown) {
    const flaw = extname(file) === '.json' ? jsonFlawIn(text) : undefined;
    throw flaw === undefined ? thrown : new ConfigError(`${file}:${flaw}`, { cause: thrown });
  }
}

/** Line, column and what JSON wants there. The reader of YAML, which reads JSON too, speaks of YAML. */
function jsonFlawIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    const [, reason, at] = /^(.+?) (?:in|after) JSON at position (\d+)/.exec((thrown as Error).message) ?? [];
    if (at === undefined) return undefined;
    const lines = text.slice(0, Number(at)).split('\n');
    return `${lines.length}:${lines.at(-1)!.length + 1}: not valid JSON: ${reason}`;
  }
}

function runConfigFile(path: string, file: string): unknown {
  if (!existsSync(path)) throw new ConfigError(`${file}: no such file`);
  try {
    const absolute = resolve(path);
    const module = createRequire(absolute)(absolute) as { default?: unknown };
    return 'default' in module ? module.default : module;
  } catch (thrown) {
    throw new ConfigError(`${file}: ${reasonOf(thrown, path)}`, { cause: thrown });
  }
}

function reasonOf(thrown: unknown, path: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const readsTypes = 'typescript' in features && Boolean(features.typescript);
  if (!path.endsWith('ts') || readsTypes || thrown.name !== 'SyntaxError') return thrown.message;
  return `Node ${versions.node} does not read TypeScript: use Node 22.18 or later, or a file in YAML, JSON or JavaScript (.mjs)`;
}

/** A setting of `serve` that a config file may hold. */
export interface Setting {
  /** The flag in camelCase: `baseUrl` for `--base-url`. */
  key: string;
  kind: 'switch' | 'number' | 'text' | 'list';
  /** What the help calls the value, such as `folder`; undefined for a switch. */
  placeholder: string | undefined;
  option: Option;
  /** Whether a variable says the default of a switch, so that a config file must not change it. */
  keepsDefault: boolean;
}

/** Flags that no config file sets, because they are about a single start. */
const ONLY_FLAGS = ['config', 'json', 'schema', 'stopWithStdin'];

/** The flags of `serve` are the one table of settings. */
export const settingsOf = (options: readonly Option[]): Setting[] =>
  options.map(settingOf).filter(({ key }) => !ONLY_FLAGS.includes(key));

function settingOf(option: Option): Setting {
  const [, placeholder] = /<(.+)>/.exec(option.flags) ?? [];
  const keepsDefault = option instanceof VariableOption && option.keepsDefault;
  return {
    key: option.attributeName(),
    kind: kindOf(option, placeholder),
    placeholder,
    option,
    keepsDefault,
  };
}

function kindOf({ defaultValue }: Option, placeholder: string | undefined): Setting['kind'] {
  if (placeholder === undefined) return 'switch';
  if (Array.isArray(defaultValue)) return 'list';
  return placeholder === 'number' ? 'number' : 'text';
}

const TYPES = {
  switch: { type: 'boolean' },
  number: { type: 'integer', minimum: 0 },
  text: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
} as const;

/** The JSON schema of a config file (draft 7, which editors know best). */
export function configSchema(options: readonly Option[]): object {
  const current = options.filter(({ hidden }) => !hidden);
  const settings = settingsOf(current).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of understudy serve',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { description: 'the schema of this file, for editors', type: 'string' },
      ...Object.fromEntries(settings.map((setting) => [setting.key, schemaOf(setting)])),
    },
  };
}

function schemaOf({ kind, option }: Setting): object {
  const { description, argChoices, defaultValue, defaultValueDescription } = option;
  return {
    description: option.negate
      ? 'false shows secrets in the journal'
      : description.replace('; repeatable', ''),
    ...TYPES[kind],
    ...(argChoices && { enum: argChoices }),
    ...(option.negate && { default: true }),
    ...(defaultValue !== undefined &&
      kind !== 'list' && { default: defaultValueDescription ?? (defaultValue as unknown) }),
  };
}

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

interface EffectiveSetting {
  key: string;
  value: unknown;
  /** `default`, a flag, a variable, or the position in the config file. */
  from: string;
}

const REDACTED = '[redacted]';

/** The settings that `serve` would use with the same flags, and where each comes from. Call after the config file is applied. */
export function describeSettings(command: Command, file: ConfigFile | undefined, asJson: boolean): string {
  const current = command.options.filter(({ hidden }) => !hidden);
  const settings = settingsOf(current).map((setting) => effective(setting, command, file));
  if (asJson)
    return `${JSON.stringify(Object.fromEntries(settings.map(({ key, ...rest }) => [key, rest])))}\n`;
  const rows = settings.map(({ key, value, from }) => [key, shownValue(value), from]);
  return `${table([['setting', 'value', 'from'], ...rows]).join('\n')}\n`;
}

function effective(
  { key, placeholder, option, keepsDefault }: Setting,
  command: Command,
  file: ConfigFile | undefined,
): EffectiveSetting {
  const given: unknown = command.getOptionValue(key) ?? (placeholder === undefined ? false : null);
  const from = keepsDefault ? option.envVar! : originOf(key, option, command, file);
  // JSON has no Infinity.
  const value = placeholder === 'duration' && given === Infinity ? 'off' : given;
  return { key, value: placeholder === 'secret' && from !== 'default' ? REDACTED : shown(value), from };
}

/** Without the password of a database, and without user and query of other addresses, which may be secrets. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  if (/^postgres(ql)?:/.test(value)) return withoutPassword(value);
  const url = new URL(value);
  if (!url.username && !url.password && !url.search) return value;
  return `${url.protocol}//${url.host}${url.pathname} ${REDACTED}`;
}

function originOf(
  key: string,
  { long, envVar }: Option,
  command: Command,
  file: ConfigFile | undefined,
): string {
  const source = command.getOptionValueSource(key);
  if (source === 'cli') return long!;
  if (source === 'env') return envVar!;
  if (source !== 'config' || !file) return 'default';
  const { line, column } = file.locate([key], 'key');
  return line === 0 ? file.file : `${file.file}:${line}:${column}`;
}

function shownValue(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-';
  return Array.isArray(value) ? value.join(' ') : String(value as string | number | boolean);
}
