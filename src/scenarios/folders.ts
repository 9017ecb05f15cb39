import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { FileError, isFolder, namedFilesOf, readRegularFile } from '../files.ts';
import { suggest } from '../text/suggestion.ts';
import { ScenarioError } from './complaints.ts';

const EXTENSIONS = ['.yaml', '.yml', '.json'];

/** Where scenarios are found by name: the user's folders in their order, then the shipped one. */
export class ScenarioFolders {
  readonly #folders: readonly string[];

  /** Throws ScenarioError when one of the user's is none. */
  constructor(own: readonly string[], shipped: string) {
    for (const folder of own) mustBeFolder(folder);
    this.#folders = [...own, shipped];
  }

  /** File by name, in the order of the names. Of files of one name, the first folder's counts. */
  files(): Map<string, string> {
    const found = this.#folders.toReversed().flatMap((folder) => [...filesOf(folder)]);
    return new Map([...new Map(found)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * The file of a scenario that `includer`, a file, includes: one beside it goes before those of the folders. A file
   * that includes its own name means the one that it hides.
   */
  findFor(name: string, includer: string | undefined): string | undefined {
    return [...this.#beside(includer), ...this.#folders.map(filesOf)]
      .map((files) => files.get(name))
      .find((file) => file !== undefined && (includer === undefined || resolve(file) !== resolve(includer)));
  }

  /** Why no scenario is read from the file that has this name, if there is one. */
  whyUnusable(name: string): string | undefined {
    return this.#folders
      .map((folder) => usableIn(folder).unusable.get(name))
      .find((why) => why !== undefined);
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

/** Whether it names a file rather than a scenario. */
export const isFileName = (name: string) => /[\\/]/.test(name) || EXTENSIONS.includes(extname(name));

/** The text of a file. Throws ScenarioError when it is not there, or can't be read. */
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

/** Beside a file of the command line. */
const filesBeside = (file: string) => namedFilesOf(dirname(file), { ...RULES, linksMayLeave: true }).files;

function mustBeFolder(path: string): void {
  if (!isFolder(path)) throw unreadable(`--scenarios ${path}`, 'no such folder');
}
