import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, resolve } from 'node:path';
import { ConfigError } from '../../config.ts';
import { readRegularFile } from '../../files.ts';
import { NOWHERE, type Locate } from '../../scenarios/complaints.ts';
import { ScenarioText } from '../../scenarios/scenario-text.ts';
import { PROGRAMS, TEXTS } from './find.ts';

/** The content of a config file, and the positions of its members. */
export interface ConfigFile {
  file: string;
  value: unknown;
  locate: Locate;
}

/** Throws ScenarioError for a text that cannot be read, ConfigError for a program that does not run. */
export function readConfigFile(file: string, folder: string): ConfigFile {
  const path = resolve(folder, file);
  const extension = extname(file);
  if (PROGRAMS.includes(extension)) return { file, value: runConfigFile(path, file), locate: NOWHERE };
  if (!TEXTS.includes(extension))
    throw new ConfigError(
      `${file} is no config file: its name must end in ${[...TEXTS, ...PROGRAMS].join(', ')}`,
    );
  const text = new ScenarioText(readRegularFile(path), file);
  return { file, value: text.value, locate: text.locate };
}

function runConfigFile(path: string, file: string): unknown {
  if (!existsSync(path)) throw new ConfigError(`${file}: no such file`);
  try {
    const module = createRequire(path)(path) as { default?: unknown };
    return module.default ?? module;
  } catch (thrown) {
    throw new ConfigError(`${file}: ${reasonOf(thrown, path)}`, { cause: thrown });
  }
}

function reasonOf(thrown: unknown, path: string): string {
  const { message = String(thrown), name } = thrown as Error;
  const readsTypes = Boolean((process.features as { typescript?: unknown }).typescript);
  if (!/ts$/.test(path) || readsTypes || name !== 'SyntaxError') return message;
  return `Node ${process.versions.node} does not read TypeScript: use Node 22.18 or later, or a file in YAML, JSON or JavaScript (.mjs)`;
}
