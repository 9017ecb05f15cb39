import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { FileError, isFolder, namedFilesOf, readRegularFile } from '../files.ts';
import { suggest } from '../text/suggestion.ts';
import { ScenarioError } from './complaints.ts';
import type { ScenarioTexts } from './scenario-copy.ts';

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
