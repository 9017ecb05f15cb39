import type { ControlOutput } from '../contract/types.ts';

/** What was covered of a contract, as `GET /_control/v1/coverage` returns it and files store it. */
export type CoverageReport = Extract<ControlOutput<'Control_GetCoverage'>, { runs: unknown }>;

export type Share = CoverageReport['summary']['operations'];
export type CoveredOperation = CoverageReport['operations'][number];
export type CoveredTag = CoverageReport['tags'][number];
export type CoveredRule = CoverageReport['rules'][number];
export type CoverageRun = CoverageReport['runs'][number];
export type StatusCounts = CoverageRun['answers'];

/** The values of --of. */
export const FIGURES = ['operations', 'responses', 'rules'] as const;
export type Figure = (typeof FIGURES)[number];

/** The operations of a contract before anything is covered. */
export interface Promised {
  contract: CoverageReport['contract'];
  tags: { name: string; description?: string }[];
  operations: CoveredOperation[];
  later: CoveredOperation[];
  /** Statuses that any operation may return. */
  failures: number[];
  events: string[];
}

/** A report that cannot be fetched, read or merged; the message names it. */
export class ReportError extends Error {}
