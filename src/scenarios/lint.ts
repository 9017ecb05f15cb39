import { nothingGiven } from './params.ts';
import { ScenarioError, type Complaint } from './scenario-error.ts';
import type { ScenarioReader } from './scenario.ts';

export interface Linted {
  file: string;
  complaints: readonly Complaint[];
}

/** What is wrong with each file, in their order; nothing, when its list is empty. What depends on a value that must be given is left alone. */
export const lintScenarios = (files: readonly string[], reader: ScenarioReader): Linted[] =>
  files.map((file) => ({ file, complaints: findComplaints(file, reader) }));

function findComplaints(file: string, reader: ScenarioReader): readonly Complaint[] {
  try {
    reader.readFile(file, { ...nothingGiven(file), isLenient: true });
    return [];
  } catch (thrown) {
    if (thrown instanceof ScenarioError) return thrown.complaints;
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
    // Not there, or not to be read: the system's own words say which.
    return [{ file, line: 0, column: 0, path: '', message: thrown.message }];
  }
}
