import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { alreadyExists, ApiError, failedPrecondition, invalidArgument } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { readScenario, type ScenarioFolders } from './folders.ts';
import type { ScenarioReader } from './scenario.ts';

export interface ScenarioFile {
  name: string;
  file: string;
  text: string;
  /** Whether the file is in a folder of the user's. */
  is_own: boolean;
}

/** Reads and writes the files of scenarios by the scenario's name; callers never give a path. */
export class ScenarioFiles {
  readonly #folders: ScenarioFolders;
  readonly #reader: ScenarioReader;

  constructor(folders: ScenarioFolders, reader: ScenarioReader) {
    this.#folders = folders;
    this.#reader = reader;
  }

  /** Throws ApiError `not_found` for an unknown name. */
  read(name: string): ScenarioFile {
    const files = this.#folders.files();
    const file = files.get(name);
    if (file === undefined)
      throw new ApiError('not_found', `scenario ${name} not found${suggestAmong(name, [...files.keys()])}`);
    return { name, file, text: readScenario(file), is_own: this.#isOwn(file) };
  }

  /** Writes a valid scenario into the first folder of the user's, or over the user's file of this name. */
  async save(name: string, text: string, overwrites: boolean): Promise<{ name: string; file: string }> {
    const [folder] = this.#folders.own;
    if (folder === undefined)
      throw failedPrecondition('no folder for scenarios is known: start Understudy with --scenarios FOLDER');
    const scenario = await this.#reader.check(text, 'request body');
    if (scenario.name !== name)
      throw invalidArgument(`name: the path has ${name}, but the scenario has ${scenario.name}`);
    const existing = this.#folders.files().get(name);
    const own = existing !== undefined && this.#isOwn(existing) ? existing : undefined;
    if (own !== undefined && !overwrites)
      throw alreadyExists(`${own} exists already: add ?overwrite=true to replace it`);
    const file = own ?? join(folder, `${name}.yaml`);
    replace(file, text);
    return { name, file };
  }

  #isOwn(file: string): boolean {
    const folder = resolve(dirname(file));
    return this.#folders.own.some((each) => resolve(each) === folder);
  }
}

/** Writes the whole file or nothing. A link is replaced, not followed. */
function replace(file: string, text: string): void {
  const unfinished = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    writeFileSync(unfinished, text, { flag: 'wx' });
    renameSync(unfinished, file);
  } catch (thrown) {
    rmSync(unfinished, { force: true });
    throw failedPrecondition(`${file} cannot be written: ${(thrown as Error).message}`);
  }
}
