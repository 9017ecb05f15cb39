import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { ScenarioFolders } from './folders.ts';
import { Library } from './library.ts';
import { ScenarioReader, type ScenarioSource } from './scenario.ts';

/** All that reads scenarios. */
export interface ScenarioShelf {
  reader: ScenarioReader;
  library: Library;
}

/** `folders`: the user's own, which go before the shipped one. Throws ScenarioError when one is not there. */
export function createScenarioShelf(source: ScenarioSource, folders: readonly string[] = []): ScenarioShelf {
  const all = new ScenarioFolders(folders, join(PACKAGE_ROOT, 'scenarios'));
  const reader = new ScenarioReader(source, all);
  return { reader, library: new Library(all, reader) };
}
