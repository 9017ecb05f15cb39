import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { ApiError } from '../errors.ts';
import { ScenarioError } from './scenario-error.ts';
import type { Scenario, ScenarioReader } from './scenario.ts';

const EXTENSIONS = ['.yaml', '.yml', '.json'];

/** The scenarios of a folder, one a file, by name. Files are read when they are asked for. */
export class Library {
  readonly #folder: string;
  readonly #reader: ScenarioReader;

  constructor(folder: string, reader: ScenarioReader) {
    this.#folder = folder;
    this.#reader = reader;
  }

  /** By name. One that can't be read says in its description why. */
  available(): { name: string; description: string }[] {
    return Array.from(this.#files(), ([name, file]) => ({ name, description: this.#describe(file) }));
  }

  read(name: string): Scenario {
    const files = this.#files();
    const file = files.get(name);
    if (file !== undefined) return this.#reader.readFile(file);
    const hint = files.size === 0 ? '' : `; did you mean ${closest(name, [...files.keys()])}?`;
    throw new ApiError('not_found', `scenario ${name} not found${hint}`);
  }

  #describe(file: string): string {
    try {
      return this.#reader.readFile(file).description ?? '';
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      return `can not be loaded: ${thrown.message}`;
    }
  }

  #files(): Map<string, string> {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder).toSorted() : [];
    const scenarios = files.filter(
      (file) => EXTENSIONS.includes(extname(file)) && !file.endsWith('.schema.json'),
    );
    return new Map(scenarios.map((file) => [file.slice(0, -extname(file).length), join(this.#folder, file)]));
  }
}
