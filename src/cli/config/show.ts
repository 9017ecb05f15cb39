import type { Command, Option } from 'commander';
import { withoutPassword } from '../../text/addresses.ts';
import { table } from '../service/connect.ts';
import type { ConfigFile } from './config-file.ts';
import { settingsOf, type Setting } from './settings.ts';

interface EffectiveSetting {
  key: string;
  value: unknown;
  /** `default`, a flag, a variable, or the position in the config file. */
  from: string;
}

const REDACTED = '[redacted]';

/** The settings that `serve` would use with the same flags, and where each comes from. Call after the config file is applied. */
export function describeSettings(command: Command, file: ConfigFile | undefined, asJson: boolean): string {
  const settings = settingsOf(command.options).map((setting) => effective(setting, command, file));
  if (asJson)
    return `${JSON.stringify(Object.fromEntries(settings.map(({ key, ...rest }) => [key, rest])))}\n`;
  const rows = settings.map(({ key, value, from }) => [key, textOf(value), from]);
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

function textOf(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-';
  return Array.isArray(value) ? value.join(' ') : String(value as string | number | boolean);
}
