import { combined, later, NOTHING } from './counts.ts';
import type { CoverageReport, CoverageRun, Promised } from './report.ts';
import { reportOf } from './tally.ts';

/**
 * One report of several of the same contract, whatever their order; what is in two of them counts once. Each run
 * counts as in its latest report.
 */
export function mergeReports(reports: readonly [CoverageReport, ...CoverageReport[]]): CoverageReport {
  const runs = new Map<string, CoverageRun>();
  for (const run of reports.flatMap((report) => report.runs)) {
    const known = runs.get(run.id) ?? NOTHING;
    runs.set(run.id, { ...run, ...combined(known, run, later) });
  }
  const inOrder = [...runs.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return reportOf(promisedIn(reports[0]), inOrder);
}

/** As if nothing had been seen. Every tag that has an operation is in a report. */
function promisedIn({ contract, tags, operations, later, failures, events }: CoverageReport): Promised {
  return {
    contract,
    tags: tags.map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
    operations: operations.map((operation) => ({
      ...operation,
      responses: operation.responses.filter(({ expected }) => expected),
    })),
    later: later.map((operation) => ({ ...operation, responses: [] })),
    failures: failures.map(({ status }) => status),
    events: events.map(({ type }) => type),
  };
}
