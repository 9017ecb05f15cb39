import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ControlError, type EnvironmentControl } from '../client/control.ts';
import type { JournalEntry } from '../client/types.ts';
import { fetchReport } from './fetch-coverage.ts';
import { ReportError, type Figure } from '../coverage/report.ts';
import { readVersion } from '../documents.ts';
import { runReportPage } from '../report/run-report-page.ts';
import { githubAnnotations, printable } from '../report/annotations.ts';
import { MAX_CALLS, ViolationTally, type RunReport } from '../report/run-report.ts';
import { findingsIn, type CoverageLimit, type Finding } from '../report/findings.ts';
import { junitReport } from '../report/junit.ts';
import type { REPORT_FORMATS } from './client-options.ts';
import { connect } from './service/connect.ts';

type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportOptions {
  url: string;
  token: string | undefined;
  /** undefined: all environments of the process. */
  environment?: string;
  /** undefined: as the file's name says, or text. */
  format?: ReportFormat;
  /** The file to write; undefined returns the report as text. */
  out?: string;
  failUnder?: number;
  of: Figure;
  /** Whether any finding is a failure. */
  fail?: boolean;
}

/**
 * Builds the report of a running service. `failure` is a line for the user if the program must exit with 1. Throws
 * ReportError or ConnectionError if the service gives no report or the file cannot be written.
 */
export async function report(options: ReportOptions): Promise<{ text: string; failure: string | undefined }> {
  const { of, failUnder, out, format = formatOf(out) } = options;
  const limit = failUnder === undefined ? undefined : { of, failUnder };
  const found = await fetchRun(options);
  const text = RENDERERS[format](found, limit);
  if (out !== undefined) write(out, text);
  const findings = findingsIn(found, limit);
  return { text: out === undefined ? text : '', failure: failureIn(findings, options.fail === true) };
}

const FORMATS_BY_EXTENSION: Readonly<Record<string, ReportFormat>> = { '.html': 'html', '.xml': 'junit' };

const formatOf = (out = ''): ReportFormat => FORMATS_BY_EXTENSION[extname(out).toLowerCase()] ?? 'text';

const RENDERERS: Readonly<Record<ReportFormat, (report: RunReport, limit?: CoverageLimit) => string>> = {
  html: runReportPage,
  junit: junitReport,
  github: githubAnnotations,
  text: textReport,
};

function textReport(found: RunReport, limit?: CoverageLimit): string {
  const lines = findingsIn(found, limit).map(({ kind, message, file, line }) => {
    const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
    return printable(`${kind}: ${message}${place}`);
  });
  return `${(lines.length === 0 ? ['no problems'] : lines).join('\n')}\n`;
}

function failureIn(findings: readonly Finding[], fail: boolean): string | undefined {
  const short = findings.find(({ kind }) => kind === 'coverage');
  if (short) return short.message;
  if (!fail || findings.length === 0) return undefined;
  return `the report has ${findings.length} ${findings.length === 1 ? 'problem' : 'problems'}`;
}

async function fetchRun(options: ReportOptions): Promise<RunReport> {
  const service = await connect(options);
  const names = options.environment
    ? [options.environment]
    : (await service.environments.list({ resting: 0 })).map(({ name }) => name);
  const coverage = await fetchReport(options);
  const tally = new ViolationTally();
  const calls: JournalEntry[] = [];
  let total = 0;
  for (const name of names) {
    const journal = await orNone(journalOf(service.environment(name)), !options.environment);
    for (const entry of journal) tally.add(entry);
    total += journal.length;
    calls.push(...journal.slice(-MAX_CALLS));
    calls.splice(0, calls.length - MAX_CALLS);
  }
  const found = { violations: tally.list(), moreViolations: tally.more, calls, total };
  return { version: readVersion(), created: new Date().toISOString(), coverage, ...found };
}

const PAGE = 1000;

/** All calls that the journal still has, oldest first. */
async function journalOf({ requests }: EnvironmentControl): Promise<JournalEntry[]> {
  const pages = [await requests.list({ limit: PAGE })];
  while (pages[0]!.length === PAGE) {
    // The journal may drop the entry meanwhile, because new calls come.
    const older = requests.list({ limit: PAGE, before: pages[0]![0]!.id });
    pages.unshift(await orNone(older, true));
  }
  return pages.flat();
}

/** What is not there any more has no calls: an environment that was dropped, or old entries of a journal. */
async function orNone(calls: Promise<JournalEntry[]>, mayBeGone: boolean): Promise<JournalEntry[]> {
  try {
    return await calls;
  } catch (thrown) {
    if (mayBeGone && thrown instanceof ControlError && thrown.status === 404) return [];
    throw thrown;
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw new ReportError(`${file} cannot be written: ${(thrown as Error).message}`);
  }
}
