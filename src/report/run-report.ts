import type { JournalEntry } from '../client/types.ts';
import type { CoverageReport } from '../coverage/report.ts';

/** A violation of the contract by requests to one operation. */
export interface RequestViolation {
  operation: string;
  field: string;
  description: string;
  times: number;
  /** A call with this violation. */
  example: CallName;
}

/** Identifies a call. The time belongs to it, because ids start again after a reset. */
export type CallName = Pick<JournalEntry, 'environment' | 'id' | 'time'>;

/** What a run of the service did: coverage, violations and calls of all environments. */
export interface RunReport {
  version: string;
  /** ISO 8601, on the clock of the machine. */
  created: string;
  coverage: CoverageReport;
  violations: readonly RequestViolation[];
  /** Different violations that are not in the list. */
  moreViolations: number;
  /** The latest calls, oldest first. */
  calls: readonly JournalEntry[];
  /** Calls that the service got, or that the journals of the running service still have. */
  total: number;
}
