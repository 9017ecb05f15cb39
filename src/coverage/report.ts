import { dirname } from 'node:path';
import type { ControlOutput } from '../contract/types.ts';
import type { RuleUsage } from '../scenarios/active-rule.ts';
import { shortened } from './tally.ts';

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
  /** Statuses that any operation may return. */
  failures: number[];
  events: string[];
}

/** A report that cannot be fetched, read or merged; the message names it. */
export class ReportError extends Error {}

const MOST_NAMES = 10;

/** Says what is missing if less than `wanted` percent of a figure is covered; undefined otherwise. */
export function shortfall(report: CoverageReport, figure: Figure, wanted: number): string | undefined {
  const { covered, total, percent } = report.summary[figure];
  if (covered * 100 >= wanted * total) return undefined;
  const names = missingNames(report, figure);
  const others = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return (
    `${percent} % of ${figure} covered (${covered} of ${total}), ${wanted} % required; ` +
    `missing: ${names.slice(0, MOST_NAMES).join(', ')}${others}`
  );
}

function missingNames({ operations, rules }: CoverageReport, figure: Figure): string[] {
  if (figure === 'operations') return operations.filter(({ calls }) => calls === 0).map(({ id }) => id);
  if (figure === 'rules') return rules.filter(({ fired }) => fired === 0).map(ruleTitle);
  return operations.flatMap(({ id, responses }) =>
    responses.filter(({ expected, seen }) => expected && seen === 0).map(({ status }) => `${id} ${status}`),
  );
}

export const ruleTitle = ({ scenario, rule }: Pick<CoveredRule, 'scenario' | 'rule'>) =>
  `${scenario} rules[${rule}]`;

/**
 * The rules that were never applied. A shipped scenario prepares for several calls, and a test makes some of them: it counts as
 * used when any of its rules was applied.
 */
export function unusedAmong<R extends Pick<CoveredRule, 'scenario' | 'file'>>(
  rules: readonly R[],
  wasApplied: (rule: R) => boolean,
  isShipped: (file: string) => boolean,
): R[] {
  const nameOf = ({ scenario, file }: R) => JSON.stringify([scenario, file]);
  const used = new Set(rules.filter(wasApplied).map(nameOf));
  return rules.filter((rule) => {
    const isShippedRule = rule.file !== undefined && isShipped(rule.file);
    return !wasApplied(rule) && !(isShippedRule && used.has(nameOf(rule)));
  });
}

/** A file of the user's is named as the user does, and not by its path in the package. */
const isInPackage = (file: string) => shortened(file) !== file && dirname(shortened(file)) === 'scenarios';

/**
 * A line with the number of rules that were loaded but never applied, and one line for each; empty if there are none.
 */
export function describeUnused(usage: RuleUsage): string[] {
  const unused = unusedAmong(usage.list(), ({ fired, before }) => fired + before > 0, isInPackage);
  if (unused.length === 0) return [];
  const lines = unused.map(({ on, file, ...rule }) => {
    const target = typeof on === 'string' ? on : JSON.stringify(on);
    return `  ${ruleTitle(rule)}, on ${target}${file === undefined ? '' : `, ${shortened(file)}`}`;
  });
  const many = unused.length === 1 ? 'a rule was' : `${unused.length} rules were`;
  return [`understudy: ${many} loaded and never applied`, ...lines];
}
