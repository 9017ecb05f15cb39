import { ScenarioError, type Complaint } from './complaints.ts';
import { noParamValues } from './params.ts';
import type { ScenarioReader } from './scenario.ts';

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
