import { dirname, resolve } from 'node:path';
import { Contract } from '../contract/contract.ts';
import { readContract } from '../contract/documents.ts';
import { FixtureFolders } from '../fixtures/fixture-files.ts';
import { formatComplaint, ScenarioError, type Complaint } from '../scenarios/complaints.ts';
import { declareScenario } from '../scenarios/declarations.ts';
import { createScenarioCatalog } from '../scenarios/library.ts';
import { noParamValues } from '../scenarios/params.ts';
import { readScenario } from '../scenarios/scenario-files.ts';
import type { ScenarioReader } from '../scenarios/scenario.ts';
import { UsageError } from './usage-error.ts';

interface LintResult {
  file: string;
  complaints: readonly Complaint[];
  /** For example `and 7 more complaints`. */
  more: readonly string[];
  /** For a valid scenario: one line for each warning. */
  warnings: readonly string[];
}

/** Checks each file. Values that depend on missing parameters are not checked. */
export const lintScenarios = (files: readonly string[], reader: ScenarioReader): LintResult[] =>
  files.map((file) => ({ file, ...check(file, reader) }));

function check(file: string, reader: ScenarioReader): Omit<LintResult, 'file'> {
  try {
    const { warnings = [] } = reader.readFile(file, { ...noParamValues(file), isLenient: true });
    return { complaints: [], more: [], warnings };
  } catch (thrown) {
    if (thrown instanceof ScenarioError)
      return { complaints: thrown.complaints, more: thrown.more, warnings: [] };
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
    // The file cannot be read; the system's message says why.
    const complaint = { file, line: 0, column: 0, path: '', message: thrown.message };
    return { complaints: [complaint], more: [], warnings: [] };
  }
}

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
