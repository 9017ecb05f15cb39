import { table } from '@understudy/core/cli/connect';
import { counted } from '@understudy/text/words';
import { CATALOGUE } from '../catalogue.ts';
import type { CaseResult, TestVerdict } from '../run-batch.ts';
import {
  failuresIn,
  findingsOf,
  kindOf,
  type Finding,
  type FindingKind,
  type SweepReport,
} from './report.ts';

/** The signs of the table. The worst verdict of a cell decides. */
const SIGNS: readonly [string, (verdict: TestVerdict) => boolean][] = [
  ['FAULT', (verdict) => kindOf(verdict) === 'fault'],
  ['known', (verdict) => kindOf(verdict) === 'known'],
  ['accepted', (verdict) => kindOf(verdict) === 'accepted'],
  ['fails', ({ name }) => name === 'broken'],
  ['shown', ({ name }) => name === 'shown'],
  ['ok', ({ name }) => name === 'handled'],
  ['-', () => true],
];

/** What the signs mean. */
export const LEGEND =
  'ok: handled; shown: the test expects it; fails: the test expected success; FAULT: see below; -: not reached';

/** A table of operations and failures, then what was found. */
export function textReport(report: SweepReport): string {
  const { results, left } = report;
  const findings = findingsOf(report);
  const of = (kind: FindingKind) => findings.filter((each) => each.kind === kind);
  const faults = of('fault');
  const lines = [
    ...gridLines(results),
    '',
    LEGEND,
    '',
    ...faults.flatMap(faultLines),
    ...listed('Faults of the baseline:', of('known')),
    ...listed('Accepted:', of('accepted')),
    ...listed('Tests that expected success (no fault is proved):', of('expected success')),
    `${counted(faults.length, 'fault')} in ${counted(results.length, 'case')}${left > 0 ? `; ${left} were not run` : ''}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The signs by failure and operation, in the order of the cases. */
interface Grid {
  operations: readonly string[];
  rows: readonly { failure: string; signs: readonly string[] }[];
}

export function gridOf(results: readonly CaseResult[]): Grid {
  const operations = [...new Set(results.map(({ operation }) => operation))].toSorted();
  const failures = [...new Set(results.map(({ failure }) => failure))];
  const signOf = (failure: string, operation: string) => {
    const verdicts = results
      .filter((each) => each.failure === failure && each.operation === operation)
      .flatMap(({ verdicts: all }) => all);
    return SIGNS.find(([, isIt]) => verdicts.some(isIt))?.[0] ?? '';
  };
  const rows = failures.map((failure) => ({
    failure,
    signs: operations.map((operation) => signOf(failure, operation)),
  }));
  return { operations, rows };
}

/** Failures are the rows, since there are more of them than operations. */
function gridLines(results: readonly CaseResult[]): string[] {
  const { operations, rows } = gridOf(results);
  return [
    ...operations.map((operation, index) => `${index + 1}  ${operation}`),
    '',
    ...table([
      ['', ...operations.map((_, index) => String(index + 1))],
      ...rows.map(({ failure, signs }) => [failure, ...signs]),
    ]),
  ];
}

function faultLines({ operation, verdict, shown }: Finding): string[] {
  const [{ result, verdict: first }] = shown as [Finding['shown'][number]];
  const why = CATALOGUE.find(({ name }) => name === result.failure)?.why;
  const printed = (first.assertion ?? '').split('\n').filter(Boolean);
  return [
    `FAULT ${operation}: ${verdict} (${failuresIn(shown)})`,
    `  ${first.test ?? 'the suite'}`,
    `  ${first.evidence}`,
    ...(why === undefined ? [] : [`  ${result.failure}: ${why}`]),
    ...printed.map((line) => `  | ${line}`),
    `  again: --case ${result.number}`,
    '',
  ];
}

const listed = (title: string, findings: readonly Finding[]): string[] =>
  findings.length === 0
    ? []
    : [
        title,
        ...findings.map(
          ({ operation, verdict, shown }) => `  ${operation}: ${verdict} (${failuresIn(shown)})`,
        ),
        '',
      ];
