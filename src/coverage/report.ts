import type { ControlOutput } from '../contract/types.ts';

/** What was seen of a contract, as `GET /_control/v1/coverage` gives it and files keep it. */
export type CoverageReport = Extract<ControlOutput<'Control_GetCoverage'>, { runs: unknown }>;

export type Share = CoverageReport['summary']['operations'];
export type CoveredOperation = CoverageReport['operations'][number];
export type CoveredTag = CoverageReport['tags'][number];
export type CoveredRule = CoverageReport['rules'][number];
export type CoverageRun = CoverageReport['runs'][number];
export type StatusCounts = CoverageRun['answers'];

/** What can be asked for with --of. */
export const FIGURES = ['operations', 'responses', 'rules'] as const;
export type Figure = (typeof FIGURES)[number];

/** A contract as far as coverage is about it: operations that nothing was seen of. */
export interface Promised {
  contract: CoverageReport['contract'];
  tags: { name: string; description?: string }[];
  operations: CoveredOperation[];
  later: CoveredOperation[];
  /** Statuses that any operation may answer. */
  failures: number[];
  /** Types. */
  events: string[];
}
