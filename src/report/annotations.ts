import { findingsIn, type CoverageLimit, type Finding } from './findings.ts';
import type { RunReport } from './run-report.ts';

/** GitHub shows so many warnings of a step. */
const MAX_WARNINGS = 10;

/** Workflow commands of GitHub Actions: an error for coverage under the limit, and warnings. */
export function githubAnnotations(report: RunReport, limit?: CoverageLimit): string {
  const findings = findingsIn(report, limit);
  const warnings = findings.filter(({ kind }) => kind !== 'coverage');
  const errors = findings.filter(({ kind }) => kind === 'coverage');
  const further = warnings.slice(MAX_WARNINGS);
  const lines = [
    ...errors.map((finding) => commandOf('error', finding)),
    ...warnings.slice(0, MAX_WARNINGS).map((finding) => commandOf('warning', finding)),
    ...(further.length > 0 ? [`${further.length} more, which GitHub does not show as annotations:`] : []),
    ...further.map(({ message }) => `  ${printable(message)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const TITLES: Readonly<Record<Finding['kind'], string>> = {
  'unused rule': 'A scenario rule never applied',
  request: 'A request broke the contract',
  answer: 'A scripted answer broke the contract',
  coverage: 'Coverage is under the limit',
};

function commandOf(level: 'error' | 'warning', { kind, message, file, line }: Finding): string {
  const properties = Object.entries({ file, line, title: `Understudy: ${TITLES[kind]}` })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${level} ${properties.join(',')}::${escapeData(message)}`;
}

const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** A runner takes lines that begin with `::` for commands, and a terminal takes control characters for its own. */
export const printable = (text: string) => text.replace(/\p{Cc}/gu, '?');
