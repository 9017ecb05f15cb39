import { isAbsolute, relative } from 'node:path';
import type { CountByStatus, Coverage } from './coverage.ts';
import { PACKAGE_ROOT } from '../files.ts';
import { keyOf } from '../scenarios/active-rule.ts';
import type { CoverageRun, CoveredRule, Share, StatusCounts } from './report.ts';

export type Counts = Omit<CoverageRun, 'id' | 'environment'>;
type Combine = (a: number, b: number) => number;

export const NOTHING: Counts = { answers: {}, violations: {}, strangers: {}, events: {}, rules: [] };

/** For reports of different runs. */
export const sum: Combine = (a, b) => a + b;

/** For reports of the same run: counts only grow, so the larger one is newer. */
export const later: Combine = (a, b) => Math.max(a, b);

/** Combines the counts of both. Names are sorted, so the order of the arguments makes no difference. */
export function combined(a: Counts, b: Counts, combine: Combine): Counts {
  return {
    answers: combinedStatuses(a.answers, b.answers, combine),
    violations: combinedStatuses(a.violations, b.violations, combine),
    strangers: combinedStatuses(a.strangers, b.strangers, combine),
    events: combinedNumbers(a.events, b.events, combine),
    rules: combinedRules(a.rules, b.rules, combine),
  };
}

function combinedStatuses(a: StatusCounts, b: StatusCounts, combine: Combine): StatusCounts {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, combinedNumbers(a[name], b[name], combine)]));
}

function combinedNumbers(
  a: Record<string, number> = {},
  b: Record<string, number> = {},
  combine: Combine,
): Record<string, number> {
  const names = Object.keys({ ...a, ...b }).toSorted();
  return Object.fromEntries(names.map((name) => [name, combine(a[name] ?? 0, b[name] ?? 0)]));
}

function combinedRules(
  a: readonly CoveredRule[],
  b: readonly CoveredRule[],
  combine: Combine,
): CoveredRule[] {
  const rules = new Map<string, CoveredRule>();
  for (const rule of [...a, ...b]) {
    const known = rules.get(keyOf(rule)) ?? { ...rule, loaded: 0, fired: 0 };
    const [loaded, fired] = [combine(known.loaded, rule.loaded), combine(known.fired, rule.fired)];
    rules.set(keyOf(rule), { ...known, loaded, fired });
  }
  return [...rules.values()].toSorted(byPlace);
}

const byPlace = (one: CoveredRule, other: CoveredRule) =>
  compared(one.scenario, other.scenario) || one.rule - other.rule || compared(keyOf(one), keyOf(other));

const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

export const totalOf = (numbers: Record<string, number> = {}) => Object.values(numbers).reduce(sum, 0);

/**
 * The covered share of a list, rounded down so that only full coverage is 100. An empty list is fully
 * covered.
 */
export function shareOf<T>(list: readonly T[], isCovered: (each: T) => boolean): Share {
  const [covered, total] = [list.filter(isCovered).length, list.length];
  return { covered, total, percent: total === 0 ? 100 : Math.floor((covered / total) * 1000) / 10 };
}

const plain = (counts: ReadonlyMap<string, CountByStatus>): StatusCounts =>
  Object.fromEntries(Array.from(counts, ([name, statuses]) => [name, Object.fromEntries(statuses)]));
/** Shortens files of the package to their path inside it, which is the same on every machine. */
export function shortened(file: string): string {
  const inside = relative(PACKAGE_ROOT, file);
  return inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}

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
