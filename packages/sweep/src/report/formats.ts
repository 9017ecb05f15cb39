import { extname } from 'node:path';
import { UsageError } from '@understudy/core/cli/usage-error';
import { annotationCommands } from '@understudy/report/findings';
import { junitDocument, suite } from '@understudy/report/junit';
import { groupsOf } from '../groups.ts';
import type { CaseResult } from '../run-batch.ts';
import { failuresIn, findingsOf, kindOf, type SweepReport } from './report.ts';
import { sweepPage } from './page.ts';

const FORMATS: Readonly<Record<string, (report: SweepReport) => string>> = {
  '.html': sweepPage,
  '.xml': junitOf,
  '.json': (report) => `${JSON.stringify(report, null, 2)}\n`,
};

type RenderReport = (report: SweepReport) => string;

/** Throws UsageError. */
export function formatOf(file: string): RenderReport {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format) return format;
  throw new UsageError(
    `--report ${file}: the name must end in ${Object.keys(FORMATS).join(', ')}, or be github`,
  );
}

/** A test suite for each operation, with a test for each case. */
function junitOf({ results }: SweepReport): string {
  const nameOf = ({ failure, call }: CaseResult) => `${failure}, call ${call}`;
  const suites = [...groupsOf(results, ({ operation }) => operation)].map(([operation, cases]) =>
    suite(
      operation,
      cases.map(nameOf),
      cases.flatMap((each) =>
        each.verdicts
          .filter((verdict) => kindOf(verdict) === 'fault')
          .map(({ name, evidence, test = 'the suite' }) => ({
            subject: nameOf(each),
            kind: name,
            message: `${name}: ${evidence} (${test})`,
          })),
      ),
    ),
  );
  return junitDocument(suites);
}

/** Workflow commands of GitHub Actions. */
export const githubOf = (report: SweepReport): string =>
  annotationCommands(
    findingsOf(report)
      .filter(({ kind }) => kind === 'fault')
      .map(({ operation, verdict, shown }) => ({
        level: 'error',
        title: `${operation}: ${verdict}`,
        message: `${shown[0]?.verdict.evidence ?? ''} (${failuresIn(shown)}; ${shown[0]?.verdict.test ?? 'the suite'})`,
      })),
  );
