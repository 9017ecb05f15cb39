import { isAbsolute, relative } from 'node:path';
import type { ControlOutput } from '../contract/types.ts';
import type { Coverage, CountByStatus } from '../environment/coverage.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { combined, NOTHING, sum } from './counts.ts';

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

/** The counts of an environment as plain data; `*` means the whole process. */
export function runOf(
  { id, answers, violations, strangers, events, rules }: Coverage,
  environment: string,
): CoverageRun {
  const counts = {
    answers: plain(answers),
    violations: plain(violations),
    strangers: plain(strangers),
    events: Object.fromEntries(events),
    rules: rules.list().map(({ before: _, ...rule }) => ({
      ...rule,
      ...(rule.file !== undefined && { file: shortened(rule.file) }),
    })),
  };
  return { id, environment, ...combined(NOTHING, counts, sum) };
}

/** Shortens files of the package to their path inside it, which is the same on every machine. */
export function shortened(file: string): string {
  const inside = relative(PACKAGE_ROOT, file);
  return inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}

const plain = (counts: ReadonlyMap<string, CountByStatus>): StatusCounts =>
  Object.fromEntries(Array.from(counts, ([name, statuses]) => [name, Object.fromEntries(statuses)]));
