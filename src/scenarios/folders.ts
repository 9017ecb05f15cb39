import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { ScenarioError } from './scenario-error.ts';
import { suggest } from './suggestion.ts';

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
    const beside = includer === undefined ? [] : [dirname(includer)];
    return [...beside, ...this.#folders]
      .map((folder) => filesOf(folder).get(name))
      .find((file) => file !== undefined && (includer === undefined || resolve(file) !== resolve(includer)));
  }

  /** All names that `includer` could include. */
  namesFor(includer: string | undefined): string[] {
    const beside = includer === undefined ? [] : [...filesOf(dirname(includer)).keys()];
    return [...new Set([...beside, ...this.files().keys()])];
  }
}

/** Whether it names a file rather than a scenario. */
export const isFileName = (name: string) => /[\\/]/.test(name) || EXTENSIONS.includes(extname(name));

/** The text of a file. Throws ScenarioError when it is not there. */
export function readScenario(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })) return readFileSync(file, 'utf8');
  const beside = Array.from(filesOf(dirname(file)).values(), (other) => basename(other));
  const message = `no such file${suggest(basename(file), beside)}`;
  throw new ScenarioError([{ file, line: 0, column: 0, path: '', message }]);
}

function filesOf(folder: string): Map<string, string> {
  const files = isFolder(folder) ? readdirSync(folder).toSorted() : [];
  const scenarios = files.filter(
    (file) => EXTENSIONS.includes(extname(file)) && !file.endsWith('.schema.json'),
  );
  return new Map(scenarios.map((file) => [file.slice(0, -extname(file).length), join(folder, file)]));
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function mustBeFolder(path: string): void {
  if (isFolder(path)) return;
  const message = 'no such folder';
  throw new ScenarioError([{ file: `--scenarios ${path}`, line: 0, column: 0, path: '', message }]);
}
