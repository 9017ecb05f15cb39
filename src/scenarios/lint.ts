import { ScenarioError, type Complaint } from './complaints.ts';
import { nothingGiven } from './params.ts';
import type { ScenarioReader } from './scenario.ts';

export interface Linted {
  file: string;
  complaints: readonly Complaint[];
  /** `and 7 more complaints`, where not all are told. */
  more: readonly string[];
  /** Of one without a mistake: what can hardly be meant, one a line. */
  warnings: readonly string[];
}

/** What is wrong with each file, in their order; nothing, when its list is empty. What depends on a value that must be given is left alone. */
export const lintScenarios = (files: readonly string[], reader: ScenarioReader): Linted[] =>
  files.map((file) => ({ file, ...look(file, reader) }));

function look(file: string, reader: ScenarioReader): Omit<Linted, 'file'> {
  try {
    const { warnings = [] } = reader.readFile(file, { ...nothingGiven(file), isLenient: true });
    return { complaints: [], more: [], warnings };
  } catch (thrown) {
    if (thrown instanceof ScenarioError)
      return { complaints: thrown.complaints, more: thrown.more, warnings: [] };
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
    // Not to be read: the system's own words say why.
    const complaint = { file, line: 0, column: 0, path: '', message: thrown.message };
    return { complaints: [complaint], more: [], warnings: [] };
  }
}

interface Restorable<T> {
  save(): T;
  restore(saved: T): void;
}

/** When `run` throws, what it has changed there is as it was. */
export function allOrNothing<T>(part: Restorable<T>, run: () => void): void {
  const before = part.save();
  try {
    run();
  } catch (thrown) {
    part.restore(before);
    throw thrown;
  }
}
