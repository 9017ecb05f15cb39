import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join, resolve, basename, extname } from 'node:path';
import { alreadyExists, ApiError, failedPrecondition, invalidArgument } from '../contract/errors.ts';
import { suggestAmong, suggest } from '@understudy/text/suggestion';
import type { ScenarioReader } from './scenario.ts';
import { FileError, isFolder, namedFilesOf, readRegularFile } from '@understudy/text/files';
import { ScenarioError } from './complaints.ts';
import type { ScenarioTexts } from './scenario-copy.ts';

interface ScenarioFile {
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

const EXTENSIONS = ['.yaml', '.yml', '.json'];

/** Finds scenarios by name: in the user's folders in order, then in the shipped folder. */
export class ScenarioFolders implements ScenarioTexts {
  /** The user's folders. */
  readonly own: readonly string[];
  readonly #folders: readonly string[];

  /** Throws ScenarioError if a user's folder does not exist. */
  constructor(own: readonly string[], shipped: string) {
    for (const folder of own) mustBeFolder(folder);
    this.own = own;
    this.#folders = [...own, shipped];
  }

  /** Files by name, sorted by name. The first folder that has a name wins. */
  files(): Map<string, string> {
    const found = this.#folders.toReversed().flatMap((folder) => [...filesOf(folder)]);
    return new Map([...new Map(found)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * The file that `includer` includes by this name: files beside `includer` come first. A file that includes its own
   * name means the file that it overrides.
   */
  findFor(name: string, includer: string | undefined): string | undefined {
    return [...this.#beside(includer), ...this.#folders.map(filesOf)]
      .map((files) => files.get(name))
      .find((file) => file !== undefined && (includer === undefined || resolve(file) !== resolve(includer)));
  }

  textOf(file: string): string {
    return readScenario(file);
  }

  /** Why the file with this name cannot be used; undefined if there is none. */
  whyUnusable(name: string): string | undefined {
    return this.#folders
      .map((folder) => usableIn(folder).unusable.get(name))
      .find((why) => why !== undefined);
  }

  /** The usable and unusable names of all folders as text: it changes when an included name may lead elsewhere. */
  listing(): string {
    return JSON.stringify(
      this.#folders.map((folder) => {
        const { files, unusable } = usableIn(folder);
        return [[...files], [...unusable]];
      }),
    );
  }

  /** All names that `includer` could include. */
  namesFor(includer: string | undefined): string[] {
    const beside = this.#beside(includer).flatMap((files) => [...files.keys()]);
    return [...new Set([...beside, ...this.files().keys()])];
  }

  #beside(includer: string | undefined): ReadonlyMap<string, string>[] {
    if (includer === undefined) return [];
    const folder = resolve(dirname(includer));
    const isSearched = this.#folders.some((each) => resolve(each) === folder);
    return [isSearched ? filesOf(folder) : filesBeside(includer)];
  }
}

/** Whether the text names a file, not a scenario. */
export const isFileName = (name: string) => /[\\/]/.test(name) || EXTENSIONS.includes(extname(name));

/** Throws ScenarioError if the file does not exist or cannot be read. */
export function readScenario(file: string): string {
  if (!existsSync(file)) {
    const beside = Array.from(filesOf(dirname(file)).values(), (other) => basename(other));
    throw unreadable(file, `no such file${suggest(basename(file), beside)}`);
  }
  try {
    return readRegularFile(file);
  } catch (thrown) {
    throw thrown instanceof FileError ? unreadable(file, thrown.reason) : thrown;
  }
}

const unreadable = (file: string, message: string) =>
  new ScenarioError([{ file, line: 0, column: 0, path: '', message }]);

const RULES = { extensions: EXTENSIONS, except: ['.schema.json'] };

const usableIn = (folder: string) => namedFilesOf(folder, RULES);

const filesOf = (folder: string) => usableIn(folder).files;

/** Files beside a file from the command line. */
const filesBeside = (file: string) => namedFilesOf(dirname(file), { ...RULES, linksMayLeave: true }).files;

function mustBeFolder(path: string): void {
  if (!isFolder(path)) throw unreadable(`--scenarios ${path}`, 'no such folder');
}
