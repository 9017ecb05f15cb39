import { annotationCommands, printable, type Annotation } from '@understudy/report/findings';
import { junitDocument, suite } from '@understudy/report/junit';
import { SEVERITIES, type DriftReport, type Finding, type Severity } from './difference.ts';

/** Whether the drift is at least so severe. */
export const isSevere = ({ verdict, severity }: Finding, from: Severity): boolean =>
  verdict === 'drift' && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(from);

const RANK = { drift: 0, unknown: 1 } as const;

/** The most severe drift first, then what is unknown; otherwise in the order of the recording. */
export const sortedFindings = ({ findings }: DriftReport): Finding[] =>
  findings.toSorted(
    (a, b) =>
      RANK[a.verdict] - RANK[b.verdict] || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );

export const placeOf = ({ subject, exchange }: Finding): string =>
  exchange === undefined ? subject : `#${exchange} ${subject}`;

/** For a terminal: a line for each finding, with what it rests on below it, and the numbers at the end. */
export function textReport(report: DriftReport): string {
  const lines = sortedFindings(report).flatMap((finding) => [
    `${wordOf(finding).padEnd(8)}  ${placeOf(finding)}: ${finding.message}`,
    ...(finding.contract === undefined ? [] : [`          contract: ${finding.contract}`]),
    ...(finding.rules.length === 0 ? [] : [`          guessed rule: ${finding.rules.join(', ')}`]),
  ]);
  return [...lines, summaryOf(report), ...hintIn(report)].map((line) => `${printable(line)}\n`).join('');
}

/** Rows from before a recording have effects that no single answer shows. */
const hintIn = ({ findings }: DriftReport): string[] =>
  findings.some(({ kind, verdict }) => kind === 'rows' && verdict === 'unknown')
    ? [
        'The service had rows before the recording began, and some differences may come from them. Write them to a fixture with understudy pull, and name it with --fixture.',
      ]
    : [];

export const wordOf = ({ verdict, severity }: Finding): string => (verdict === 'drift' ? severity : verdict);

export function summaryOf({ counts, counted, noise, source }: DriftReport): string {
  const reasons = Object.entries(noise).map(([reason, count]) => `${count} × ${reason}`);
  const why = reasons.length === 0 ? '' : ` (differences that mean nothing: ${reasons.join(', ')})`;
  return `${source}: of the ${counted}, ${sameAs(counts.identical + counts.noise)}, ${counts.drift} ${counts.drift === 1 ? 'differs' : 'differ'}, ${counts.unknown} unknown${why}`;
}

const sameAs = (count: number) => `${count} ${count === 1 ? 'is' : 'are'} the same`;

/** A test case for each operation, which fails if it differs as severely as that. */
export function junitOfDrift(report: DriftReport, from: Severity): string {
  const severe = report.findings.filter((finding) => isSevere(finding, from));
  const subjects = [...new Set([...report.compared, ...report.findings.map(({ subject }) => subject)])];
  const failures = severe.map((finding) => ({
    subject: finding.subject,
    message: `${placeOf(finding)}: ${finding.message}`,
    kind: finding.kind,
  }));
  return junitDocument([suite('drift', subjects, failures)]);
}

/** Workflow commands of GitHub Actions: an error for each severe drift, a warning for any other. */
export function githubOfDrift(report: DriftReport, from: Severity): string {
  const drifts = sortedFindings(report).filter(({ verdict }) => verdict === 'drift');
  const annotations = drifts.map((finding): Annotation => ({
    level: isSevere(finding, from) ? 'error' : 'warning',
    title: `${finding.kind} differs from the service`,
    message: `${placeOf(finding)}: ${finding.message}`,
  }));
  return `${annotationCommands(annotations)}${printable(summaryOf(report))}\n`;
}
