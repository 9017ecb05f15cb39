import {
  ruleTitle,
  type CoverageReport,
  type CoveredTag,
  type Share,
} from '@understudy/core/coverage/report';
import { counted } from '@understudy/text/words';

const BAR = 10;

/** A report for a terminal with 80 columns. */
export function coverageTable(report: CoverageReport): string {
  const { summary, tags, runs, contract } = report;
  const all = { name: 'All', ...summary };
  const width = Math.max(...[...tags, all].map(({ name }) => name.length));
  const rule = '-'.repeat(width + 53);
  const lines = [
    `Coverage of contract ${contract.version}: ${counted(summary.calls, 'call')} in ${counted(runs.length, 'run')}`,
    '',
    `${''.padEnd(width)}  ${'operations'.padEnd(26)}  ${'responses'.padStart(15)}  ${'calls'.padStart(6)}`,
    rule,
    ...tags.map((tag) => row(tag, width)),
    rule,
    row(all, width),
    '',
    ...failureLines(report),
    ...eventLines(report),
    ...ruleLines(report),
    ...outsideLines(report),
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

type Row = Pick<CoveredTag, 'name' | 'calls' | 'operations' | 'responses'>;

const row = ({ name, calls, operations, responses }: Row, width: number) =>
  `${name.padEnd(width)}  ${bar(operations)} ${figures(operations)}  ${figures(responses)}  ${String(calls).padStart(6)}`;

/** The bar is empty only at nothing, and full only at everything. */
function bar({ covered, total, percent }: Share): string {
  const filled =
    covered === 0
      ? 0
      : Math.min(Math.max(1, Math.round((percent / 100) * BAR)), covered < total ? BAR - 1 : BAR);
  return '█'.repeat(filled) + '·'.repeat(BAR - filled);
}

const figures = ({ covered, total, percent }: Share) =>
  `${`${covered}/${total}`.padStart(7)} ${percent.toFixed(1).padStart(5)} %`;

function failureLines({ failures, summary }: CoverageReport): string[] {
  const seen = failures
    .filter((failure) => failure.seen > 0)
    .map(({ status, operations }) => `${status} (${counted(operations, 'operation')})`);
  const unseen = failures.filter((failure) => failure.seen === 0).map(({ status }) => status);
  const { covered, total } = summary.failures;
  return [
    `Failures that any operation may answer: ${covered} of ${total}`,
    ...(seen.length > 0 ? [`  seen      ${seen.join(', ')}`] : []),
    ...(unseen.length > 0 ? [`  not seen  ${unseen.join(', ')}`] : []),
  ];
}

function eventLines({ events, summary }: CoverageReport): string[] {
  const happened = events.filter(({ seen }) => seen > 0);
  return [
    `Types of events that happened: ${summary.events.covered} of ${summary.events.total}`,
    ...happened.map(({ type, seen }) => `  seen      ${type} (${counted(seen, 'time')})`),
  ];
}

function ruleLines({ rules, summary }: CoverageReport): string[] {
  if (rules.length === 0) return [];
  const unused = rules.filter(({ fired }) => fired === 0);
  return [
    `Scenario rules applied: ${summary.rules.covered} of ${summary.rules.total}`,
    ...unused.map(
      (rule) =>
        `  never     ${ruleTitle(rule)}, on ${valueText(rule.on)}${rule.file === undefined ? '' : `, ${rule.file}`}`,
    ),
  ];
}

const valueText = (on: unknown) => (typeof on === 'string' ? on : JSON.stringify(on));

function outsideLines({ outside: { calls, answers } }: CoverageReport): string[] {
  if (calls.length + answers.length === 0) return [];
  return [
    'Outside the contract',
    ...calls.map(
      ({ method, path, status, seen }) =>
        `  call      ${method} ${path}: ${status}, ${counted(seen, 'time')}`,
    ),
    ...answers.map(
      ({ operation, status, seen }) => `  answer    ${operation}: ${status}, ${counted(seen, 'time')}`,
    ),
  ];
}
