import { FIGURES } from '@understudy/core/coverage/report';
import { findingsIn, printable, type CoverageLimit } from './findings.ts';
import type { FailedCall } from '@understudy/client/failed-call';
import type { RunReport } from './run-report.ts';

/** GitHub shows a summary of at most 1 MiB. */
const MAX_PROBLEMS = 100;

/** A summary for the page of a job in CI: the calls that failed, problems and coverage. */
export function markdownSummary(report: RunReport, limit?: CoverageLimit): string {
  const { total, failed, withoutToken, failures } = report;
  const problems = findingsIn(report, limit).map(({ kind, message }) => `- ${code(`${kind}: ${message}`)}`);
  const parts = [
    `### Understudy: ${total === 0 ? 'no call was made' : `${failed} of ${total} calls failed`}`,
    ...(failures.length > 0 ? [tableOf(failures)] : []),
    ...(failed > failures.length ? [`${failures.length} of them are shown.`] : []),
    ...(withoutToken > 0 ? [withoutTokenLine(withoutToken)] : []),
    ...(problems.length > 0 ? [`Problems:`, problems.slice(0, MAX_PROBLEMS).join('\n')] : []),
    ...(problems.length > MAX_PROBLEMS ? [`And ${problems.length - MAX_PROBLEMS} more.`] : []),
    coverageLine(report),
  ];
  return `${parts.join('\n\n')}\n\n`;
}

export const withoutTokenLine = (calls: number) =>
  `Not counted as failed: ${calls} without a token. The SDK gets a token after such a call.`;

function coverageLine({ coverage: { summary } }: RunReport): string {
  const shares = FIGURES.map((figure) => {
    const { covered, total, percent } = summary[figure];
    return `${covered} of ${total} ${figure} (${percent} %)`;
  });
  return `Coverage: ${shares.join(', ')}.`;
}

function tableOf(calls: readonly FailedCall[]): string {
  const rows = calls.map(({ status = '-', method, path, operation = '-', environment, reasons }) => {
    const cells = [`${method} ${path}`, operation, environment].map(cell).join(' | ');
    return `| ${status} | ${cells} | ${reasons.map(cell).join('<br>')} |`;
  });
  const head = ['| status | call | operation | environment | why |', '| --- | --- | --- | --- | --- |'];
  return [...head, ...rows].join('\n');
}

/** Text as code: a back tick would end it, and a line break would end the line. */
const code = (text: string) => `\`${printable(text).replaceAll('`', "'")}\``;

/** A bar would end the cell of a table. */
const cell = (text: string) => code(text).replaceAll('|', '\\|');
