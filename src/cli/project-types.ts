import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Contract } from '../contract/contract.ts';
import { readContract } from '../documents.ts';
import { FixtureFolders } from '../environment/fixture/fixture-files.ts';
import { FileError } from '../files.ts';
import { formatComplaint } from '../scenarios/complaints.ts';
import { declareScenario } from '../scenarios/declarations.ts';
import { readScenario } from '../scenarios/folders.ts';
import { createScenarioCatalog } from '../scenarios/library.ts';
import { lintScenarios } from '../scenarios/lint.ts';
import { UsageError } from './explain.ts';

export interface ProjectFolders {
  scenarios: readonly string[];
  fixtures: readonly string[];
}

const CLIENT = "import('understudy-server/control').";

/**
 * Declares the scenarios and the fixtures of folders for TypeScript. Throws UsageError with one line for each error if a
 * scenario is invalid.
 */
export function projectTypes({ scenarios, fixtures }: ProjectFolders): string {
  if (scenarios.length + fixtures.length === 0)
    throw new UsageError(
      'name the folders of your scenarios and fixtures: --scenarios FOLDER, --fixtures FOLDER, or both',
    );
  const fixtureNames = fixturesIn(fixtures);
  const declared = scenariosIn(scenarios).map(({ name, file }) =>
    declareScenario(name, readScenario(file), CLIENT),
  );
  const named = fixtureNames.map((name) => `  ${JSON.stringify(name)}: unknown;\n`);
  return [
    '// Written by `understudy types`. Run it again when a scenario or a fixture changes.\n',
    ...(scenarios.length > 0 ? [`interface UnderstudyScenarios {\n${declared.join('')}}\n`] : []),
    ...(fixtures.length > 0 ? [`interface UnderstudyFixtures {\n${named.join('')}}\n`] : []),
  ].join('\n');
}

function scenariosIn(folders: readonly string[]) {
  if (folders.length === 0) return [];
  const contracts = {
    contract: new Contract(readContract('openapi')),
    control: new Contract(readContract('control')),
  };
  const { reader, library } = createScenarioCatalog(contracts, folders);
  const own = new Set(folders.map((folder) => resolve(folder)));
  const found = library.available().filter(({ file }) => own.has(resolve(dirname(file))));
  const results = lintScenarios(
    found.map(({ file }) => file),
    reader,
  );
  const lines = results.flatMap(({ complaints, more }) => [...complaints.map(formatComplaint), ...more]);
  if (lines.length > 0) throw new UsageError(lines.join('\n'));
  return found;
}

/** Only the names of the folders: the shipped folder is left out. */
const fixturesIn = (folders: readonly string[]): string[] => [
  ...new Set(folders.flatMap((folder) => new FixtureFolders([folder], folder).names())),
];

export function writeTypes(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw new FileError(file, (thrown as Error).message);
  }
}
