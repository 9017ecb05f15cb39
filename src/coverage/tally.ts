import { isAbsolute, relative } from 'node:path';
import type { CountByStatus, Coverage } from './coverage.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { keyOf } from '../scenarios/active-rule.ts';
import type {
  CoverageRun,
  CoveredRule,
  Share,
  StatusCounts,
  CoverageReport,
  CoveredOperation,
  CoveredTag,
  Promised,
} from './report.ts';

type Counts = Omit<CoverageRun, 'id' | 'environment'>;
type Combine = (a: number, b: number) => number;

const NOTHING: Counts = { answers: {}, violations: {}, strangers: {}, events: {}, rules: [] };

/** For reports of different runs. */
const sum: Combine = (a, b) => a + b;

/** For reports of the same run: counts only grow, so the larger one is newer. */
const later: Combine = (a, b) => Math.max(a, b);

/** Combines the counts of both. Names are sorted, so the order of the arguments makes no difference. */
function combined(a: Counts, b: Counts, combine: Combine): Counts {
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

const totalOf = (numbers: Record<string, number> = {}) => Object.values(numbers).reduce(sum, 0);

/**
 * The covered share of a list, rounded down so that only full coverage is 100. An empty list is fully
 * covered.
 */
function shareOf<T>(list: readonly T[], isCovered: (each: T) => boolean): Share {
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

/** Builds the report of some runs against a contract. */
export function reportOf(promised: Promised, runs: readonly CoverageRun[]): CoverageReport {
  const counts = runs.reduce<Counts>((all, run) => combined(all, run, sum), NOTHING);
  const operations = promised.operations.map((operation) => seenOf(operation, counts));
  const failures = promised.failures.map((status) => failureOf(status, operations));
  const outside = { calls: undocumentedStatuses(counts.strangers), answers: violationsOf(counts.violations) };
  const { rules } = counts;
  const events = promised.events.map((type) => ({ type, seen: counts.events[type] ?? 0 }));
  return {
    format: 1,
    contract: promised.contract,
    summary: {
      calls: [counts.answers, counts.strangers].flatMap(Object.values).map(totalOf).reduce(sum, 0),
      operations: shareOf(operations, ({ calls }) => calls > 0),
      responses: responsesOf(operations),
      failures: shareOf(failures, ({ seen }) => seen > 0),
      events: shareOf(events, ({ seen }) => seen > 0),
      rules: shareOf(rules, ({ fired }) => fired > 0),
    },
    tags: promised.tags.map((tag) => tagOf(tag, operations)).filter((tag) => tag.operations.total > 0),
    operations,
    failures,
    outside,
    events,
    rules,
    runs: [...runs],
  };
}

function seenOf(operation: CoveredOperation, { answers, violations }: Counts): CoveredOperation {
  const seen = operation.bindings.reduce<Record<number, number>>(
    (all, { id }) => subtractCounts(addCounts(all, answers[id]), violations[id]),
    {},
  );
  const bindings = operation.bindings.map((binding) => ({ ...binding, calls: totalOf(answers[binding.id]) }));
  const expected = new Set(operation.responses.map(({ status }) => status));
  const others = Object.keys(seen)
    .map(Number)
    .filter((status) => !expected.has(status) && seen[status]! > 0);
  const responses = [...expected, ...others].toSorted((a, b) => a - b);
  return {
    ...operation,
    calls: bindings.reduce((all, { calls }) => all + calls, 0),
    responses: responses.map((status) => ({
      status,
      expected: expected.has(status),
      seen: seen[status] ?? 0,
    })),
    bindings,
  };
}

type CountsByName = Record<string, number>;

const addCounts = (a: CountsByName, b: CountsByName = {}): CountsByName =>
  Object.fromEntries(Object.keys({ ...a, ...b }).map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]));

const subtractCounts = (a: CountsByName, b: CountsByName = {}): CountsByName =>
  Object.fromEntries(Object.entries(a).map(([key, number]) => [key, number - (b[key] ?? 0)]));

const responsesOf = (operations: readonly CoveredOperation[]) =>
  shareOf(
    operations.flatMap(({ responses }) => responses.filter(({ expected }) => expected)),
    ({ seen }) => seen > 0,
  );

function tagOf(tag: Promised['tags'][number], operations: readonly CoveredOperation[]): CoveredTag {
  const own = operations.filter((operation) => operation.tag === tag.name);
  return {
    ...tag,
    calls: own.reduce((all, { calls }) => all + calls, 0),
    operations: shareOf(own, ({ calls }) => calls > 0),
    responses: responsesOf(own),
  };
}

function failureOf(status: number, operations: readonly CoveredOperation[]) {
  const seen = operations
    .map(({ responses }) => responses.find((each) => each.status === status)?.seen ?? 0)
    .filter((times) => times > 0);
  return { status, operations: seen.length, seen: seen.reduce(sum, 0) };
}

const statusList = (counts: StatusCounts) =>
  Object.entries(counts).flatMap(([name, statuses]) =>
    Object.entries(statuses).map(([status, seen]) => ({ name, status: Number(status), seen })),
  );

const undocumentedStatuses = (strangers: StatusCounts) =>
  statusList(strangers).map(({ name, status, seen }) => {
    const [method = '', ...path] = name.split(' ');
    return { method, path: path.join(' '), status, seen };
  });

const violationsOf = (violations: StatusCounts) =>
  statusList(violations).map(({ name, status, seen }) => ({
    operation: name.replace(/\d+$/, ''),
    status,
    seen,
  }));

/**
 * Merges reports of the same contract in any order. A run that is in several reports counts once, as in its
 * latest report.
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

/** The same contract without anything covered, rebuilt from a report: it has every tag of an operation. */
function promisedIn({ contract, tags, operations, failures, events }: CoverageReport): Promised {
  return {
    contract,
    tags: tags.map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
    operations: operations.map((operation) => ({
      ...operation,
      responses: operation.responses.filter(({ expected }) => expected),
    })),
    failures: failures.map(({ status }) => status),
    events: events.map(({ type }) => type),
  };
}
