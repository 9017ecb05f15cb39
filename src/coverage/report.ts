import { isAbsolute, relative } from 'node:path';
import type { ControlOutput } from '../contract/types.ts';
import type { Coverage, CountByStatus } from '../environment/coverage.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { combined, NOTHING, sum } from './counts.ts';

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

/** A report that can't be had, read or merged; the message names it. */
export class ReportError extends Error {}

/** What was counted in an environment, as plain data. `*` is all of a process. */
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

/** Files of the package are called as they are in it: elsewhere it is in another folder. */
export function shortened(file: string): string {
  const inside = relative(PACKAGE_ROOT, file);
  return inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}

const plain = (counts: ReadonlyMap<string, CountByStatus>): StatusCounts =>
  Object.fromEntries(Array.from(counts, ([name, statuses]) => [name, Object.fromEntries(statuses)]));
