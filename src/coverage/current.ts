import type { Controls } from '../control/handler.ts';
import type { Environment } from '../environment/environment.ts';
import { runOf } from './counts.ts';
import { promisedBy } from './promised.ts';
import type { CoverageReport } from './report.ts';
import { reportOf } from './tally.ts';

/** The report of one environment, or of all that the process has had. */
export function currentReport(
  { simulator, documents }: Pick<Controls, 'simulator' | 'documents'>,
  environment?: Environment,
): CoverageReport {
  const { contract, environments } = simulator;
  const promised = promisedBy(contract.operations, documents.service());
  const run = environment
    ? runOf(environment.coverage, environment.name)
    : runOf(environments.coverage(), '*');
  return reportOf(promised, [run]);
}
