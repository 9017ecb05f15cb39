import { dirname, resolve } from 'node:path';
import { Contract } from '@understudy/core/contract/contract';
import { readContract } from '@understudy/core/contract/documents';
import { FixtureFolders } from '@understudy/core/fixtures/fixture-files';
import { formatComplaint } from '@understudy/core/scenarios/complaints';
import { declareScenario } from '@understudy/core/scenarios/declarations';
import { createScenarioCatalog } from '@understudy/core/scenarios/library';
import { readScenario } from '@understudy/core/scenarios/scenario-files';
import { lintScenarios } from '@understudy/core/scenarios/lint';
import { UsageError } from '@understudy/core/cli/usage-error';

/**
 * Prints one line for each valid file and one for each error or warning; warnings do not fail. Files may
 * include fixtures of `folders`.
 */
export function lintFiles(
  files: readonly string[],
  folders: readonly string[],
): { lines: string[]; good: boolean } {
  const results = lintScenarios(files, catalogOf(folders).reader);
  const lines = results.flatMap(({ file, complaints, more, warnings }) => {
    const lines = [...complaints.map(formatComplaint), ...more, ...warnings];
    return lines.length === 0 ? [`${file}: good`] : lines;
  });
  return { lines, good: results.every(({ complaints }) => complaints.length === 0) };
}

function catalogOf(folders: readonly string[]) {
  const contracts = {
    contract: new Contract(readContract('openapi')),
    control: new Contract(readContract('control')),
  };
  return createScenarioCatalog(contracts, folders);
}

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
  const { reader, library } = catalogOf(folders);
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
