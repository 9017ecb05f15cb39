import type { Contract } from '@understudy/core/contract/contract';
import { ReportError, type CoverageReport } from '@understudy/core/coverage/report';
import { mergeReports } from '@understudy/core/coverage/tally';
import { isObject } from '@understudy/text/json';
import { MAX_FAILED } from '@understudy/client/failed-call';
import { RUN_FORMAT } from '@understudy/report/formats';
import { MAX_CALLS, type RequestViolation, type RunReport } from '@understudy/report/run-report';

export const isStoredRun = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && value['format'] === RUN_FORMAT;

/** Throws ReportError for the first member of a file that is not as the service writes it. */
export function readRun(value: unknown, file: string, contract: Contract): RunReport {
  if (!isStoredRun(value))
    throw new ReportError(`${file} is no report of a run: its format is not ${RUN_FORMAT}`);
  const refuse = (member: string, message: string) => {
    throw new ReportError(`${file} is no report of a run: ${member} ${message}`);
  };
  for (const [member, isRight] of Object.entries(MEMBERS))
    if (!isRight(value[member])) refuse(member, 'is missing or not as it was written');
  const [complaint] = [
    ...contract.checkSchema('Coverage', value['coverage']),
    ...(value['calls'] as unknown[]).flatMap((call) => contract.checkSchema('JournalEntry', call)),
  ];
  if (complaint) refuse(complaint.path || '/', complaint.message);
  return value as unknown as RunReport;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isList =
  (isRight: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isRight);
const isMade =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, isRight]) => isRight(value[name]));

const isOptional =
  (isRight: Check): Check =>
  (value) =>
    value === undefined || isRight(value);

const CALL = { id: isText, environment: isText };

const MEMBERS: Readonly<Record<Exclude<keyof RunReport, 'coverage'>, Check>> = {
  version: isText,
  created: isText,
  violations: isList(
    isMade({
      operation: isText,
      field: isText,
      description: isText,
      times: isCount,
      example: isMade({ ...CALL, time: isText }),
    }),
  ),
  moreViolations: isCount,
  calls: isList(isObject),
  total: isCount,
  failed: isCount,
  withoutToken: isCount,
  failures: isList(
    isMade({
      ...CALL,
      method: isText,
      path: isText,
      operation: isOptional(isText),
      status: isOptional(isCount),
      reasons: isList(isText),
    }),
  ),
};

/** One report of runs of the same contract, in the order in which they ended. */
export function mergeRuns(reports: readonly [RunReport, ...RunReport[]]): RunReport {
  const runs = reports.toSorted((one, other) => (one.created < other.created ? -1 : 1));
  const sumOf = (member: 'moreViolations' | 'total' | 'failed' | 'withoutToken') =>
    runs.reduce((sum, run) => sum + run[member], 0);
  return {
    ...runs.at(-1)!,
    coverage: mergeReports(runs.map(({ coverage }) => coverage) as [CoverageReport, ...CoverageReport[]]),
    violations: mergedViolations(runs.flatMap(({ violations }) => violations)),
    moreViolations: sumOf('moreViolations'),
    calls: runs.flatMap(({ calls }) => calls).slice(-MAX_CALLS),
    total: sumOf('total'),
    failed: sumOf('failed'),
    withoutToken: sumOf('withoutToken'),
    failures: runs.flatMap(({ failures }) => failures).slice(0, MAX_FAILED),
  };
}

function mergedViolations(all: readonly RequestViolation[]): RequestViolation[] {
  const merged = new Map<string, RequestViolation>();
  for (const violation of all) {
    const { operation, field, description } = violation;
    const key = JSON.stringify([operation, field, description]);
    const times = (merged.get(key)?.times ?? 0) + violation.times;
    merged.set(key, { ...violation, ...merged.get(key), times });
  }
  return [...merged.values()];
}
