import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { Library } from './library.ts';
import { ScenarioReader, type ScenarioSource } from './scenario.ts';

/** All that reads scenarios. */
export interface ScenarioShelf {
  reader: ScenarioReader;
  library: Library;
}

export function createScenarioShelf(source: ScenarioSource): ScenarioShelf {
  const reader = new ScenarioReader(source);
  return { reader, library: new Library(join(PACKAGE_ROOT, 'scenarios'), reader) };
}
