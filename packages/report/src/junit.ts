import { ruleTitle } from '@understudy/core/coverage/report';
import { html as xml, raw, type Html } from '@understudy/core/pages/html';
import {
  coverageSubject,
  findingsIn,
  type CoverageLimit,
  type Finding,
  type FindingKind,
} from './findings.ts';
import type { RunReport } from './run-report.ts';

/** Characters that XML 1.0 cannot hold, and halves of surrogate pairs. */
const NO_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * A test suite for each kind of finding: unused rules, violations of requests, violations of scripted answers and, with
 * a limit, coverage. Operations that were called and rules that were loaded are its test cases.
 */
export function junitReport(report: RunReport, limit?: CoverageLimit): string {
  const findings = findingsIn(report, limit);
  const called = report.coverage.operations.filter(({ calls }) => calls > 0).map(({ id }) => id);
  const of = (kind: FindingKind) => findings.filter((finding) => finding.kind === kind);
  return junitDocument([
    suite('scenario rules', report.coverage.rules.map(ruleTitle), of('unused rule')),
    suite('contract of requests', called, of('request')),
    suite('contract of scripted answers', called, of('answer')),
    ...(limit ? [suite('coverage', [coverageSubject(limit)], of('coverage'))] : []),
  ]);
}

/** The document of these test suites. */
export function junitDocument(suites: readonly Suite[]): string {
  const tests = suites.reduce((sum, { count }) => sum + count, 0);
  const failures = suites.reduce((sum, { failed }) => sum + failed, 0);
  const document = xml`<testsuites name="understudy" tests="${tests}" failures="${failures}">
${suites.map(({ markup }) => markup)}</testsuites>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document.text.replace(NO_XML, '\uFFFD')}`;
}

interface Suite {
  markup: Html;
  count: number;
  failed: number;
}

type Failure = Pick<Finding, 'subject' | 'message' | 'file' | 'line'> & { kind: string };

/** A test suite with a case for each subject, which fails if there is a finding about it. */
export function suite(name: string, subjects: readonly string[], own: readonly Failure[]): Suite {
  const names = [...new Set([...subjects, ...own.map(({ subject }) => subject)])];
  const failed = new Set(own.map(({ subject }) => subject)).size;
  const cases = names.map((subject) =>
    testCase(
      name,
      subject,
      own.filter((each) => each.subject === subject),
    ),
  );
  const markup = xml`  <testsuite name="understudy: ${name}" tests="${names.length}" failures="${failed}">
${cases}  </testsuite>
`;
  return { markup, count: names.length, failed };
}

function testCase(suiteName: string, subject: string, findings: readonly Failure[]): Html {
  const [first] = findings;
  const place = first?.file === undefined ? '' : xml` file="${first.file}"`;
  const line = first?.line === undefined ? '' : xml` line="${first.line}"`;
  const head = xml`    <testcase classname="understudy.${suiteName}" name="${subject}"${place}${line}`;
  if (!first) return xml`${head}${raw('/>\n')}`;
  const text = findings.map(({ message }) => message).join('\n');
  return xml`${head}>
      <failure type="${first.kind}" message="${first.message}">${text}</failure>
    </testcase>
`;
}
