import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, resolve } from 'node:path';
import { features, versions } from 'node:process';
import { ConfigError } from '../../config.ts';
import { readRegularFile } from '../../files.ts';
import { NOWHERE, type Locate } from '../../scenarios/complaints.ts';
import { ScenarioText } from '../../scenarios/scenario-text.ts';
import { PROGRAMS, TEXTS } from './find-config-file.ts';

/** The content of a config file, and the positions of its members. */
export interface ConfigFile {
  file: string;
  value: unknown;
  locate: Locate;
}

/** Throws ScenarioError for a text that cannot be read, ConfigError for a program that does not run. */
export function loadConfigFile(file: string, folder: string): ConfigFile {
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
