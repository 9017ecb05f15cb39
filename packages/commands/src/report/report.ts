import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waysTo } from '@understudy/core/server/address';
import { ReportError, type CoverageReport, type Figure, shortfall } from '@understudy/core/coverage/report';
import { OutcomeTally } from '@understudy/client/failed-call';
import { isStoredRun, mergeRuns, readRun } from './stored-run.ts';
import { ControlError, type EnvironmentControl } from '@understudy/client/control';
import type { JournalEntry } from '@understudy/client/types';
import { readVersion, readContract } from '@understudy/core/contract/documents';
import { findingsIn, type Finding } from '@understudy/report/findings';
import { formatOf, RENDERERS, type ReportFormat } from '@understudy/report/formats';
import { MAX_CALLS, ViolationTally, type RunReport } from '@understudy/report/run-report';
import { connect } from '@understudy/core/cli/connect';
import { Contract } from '@understudy/core/contract/contract';
import { mergeReports } from '@understudy/core/coverage/tally';
import { coverageTable } from './coverage-table.ts';
import { coveragePage } from '@understudy/core/coverage/page';
import { FileError, isFolder, readRegularFile } from '@understudy/text/files';
import { parseJson } from '@understudy/text/json';
import { counted } from '@understudy/text/words';

/** A running server, and the report to ask it for. */
interface ReportSource {
  url: string;
  /** undefined: all environments of the process. */
  environment?: string;
  /** The bearer token of the control API, if it requires one. */
  token?: string | undefined;
}

const TIMEOUT = 60_000;

/** Throws ReportError if there is no server or it has no report. */
async function fetchReport(source: ReportSource): Promise<CoverageReport> {
  let failure: ReportError | undefined;
  for (const way of waysTo(source.url)) {
    const found = await requestReport(way, source);
    if (!(found instanceof ReportError)) return found;
    failure ??= found;
  }
  throw failure!;
}

async function requestReport(
  way: string,
  { url, environment, token }: ReportSource,
): Promise<CoverageReport | ReportError> {
  const query = environment === undefined ? '?format=json&environments=all' : '?format=json';
  const headers = {
    ...(environment !== undefined && { 'understudy-environment': environment }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const address = `${way.replace(/\/+$/, '')}/_control/v1/coverage${query}`;
  try {
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT) });
    const body = (await response.json().catch(() => undefined)) as
      (CoverageReport & { message?: string }) | undefined;
    if (response.status === 200 && body?.format === 1) return body;
    return new ReportError(
      `${url} did not return coverage: ${body?.message ?? `it answers ${response.status}`}`,
    );
  } catch (thrown) {
    const { message, cause } = thrown as Error & { cause?: Error };
    const reason = cause?.message || (cause as { code?: string })?.code || message;
    return new ReportError(`nothing answers at ${url}: ${reason}`);
  }
}

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
 * Builds one report of the runs that the files have or, without files, of a running service. `failure` is a line for the
 * user if the program must exit with 1. Throws ReportError or ConnectionError if there is no report or the file cannot be
 * written.
 */
export async function report(
  files: readonly string[],
  options: ReportOptions,
): Promise<{ text: string; failure: string | undefined }> {
  const { of, failUnder, out, format = formatOf(out ?? '') ?? 'text' } = options;
  const limit = failUnder === undefined ? undefined : { of, failUnder };
  const found = files.length === 0 ? await fetchRun(options) : mergeRunFiles(files);
  const text = RENDERERS[format](found, limit);
  if (out !== undefined) write(out, text);
  const findings = findingsIn(found, limit);
  return { text: out === undefined ? text : '', failure: failureIn(findings, options.fail === true) };
}

function failureIn(findings: readonly Finding[], fail: boolean): string | undefined {
  const short = findings.find(({ kind }) => kind === 'coverage');
  if (short) return short.message;
  if (!fail || findings.length === 0) return undefined;
  return `the report has ${counted(findings.length, 'problem')}`;
}

async function fetchRun(options: ReportOptions): Promise<RunReport> {
  const service = await connect(options);
  const names = options.environment
    ? [options.environment]
    : (await service.environments.list({ resting: 0 })).map(({ name }) => name);
  const coverage = await fetchReport(options);
  const tally = new ViolationTally();
  const outcomes = new OutcomeTally();
  const calls: JournalEntry[] = [];
  let total = 0;
  for (const name of names) {
    const journal = await orNone(journalOf(service.environment(name)), !options.environment);
    for (const entry of journal) {
      tally.add(entry);
      outcomes.add(entry, () => entry);
    }
    total += journal.length;
    calls.push(...journal.slice(-MAX_CALLS));
    calls.splice(0, calls.length - MAX_CALLS);
  }
  const violations = { violations: tally.list(), moreViolations: tally.more };
  const found = { ...violations, calls, total, ...outcomes.list() };
  return { version: readVersion(), created: new Date().toISOString(), coverage, ...found };
}

const PAGE = 1000;

/** All calls that the journal still has, oldest first. */
async function journalOf({ requests }: EnvironmentControl): Promise<JournalEntry[]> {
  const pages = [await requests.list({ limit: PAGE, why: true })];
  while (pages[0]!.length === PAGE) {
    // The journal may drop the entry meanwhile, because new calls come.
    const older = requests.list({ limit: PAGE, why: true, before: pages[0]![0]!.id });
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

const FORMATS = ['text', 'json', 'html'] as const;

export interface CoverageOptions extends ReportSource {
  format: (typeof FORMATS)[number];
  /** The file to write; undefined returns the report as text. */
  out?: string;
  /** In percent. */
  failUnder?: number;
  of: Figure;
}

/**
 * Builds one report from the files or, without files, from a running server. `failure` says what is missing
 * if coverage is below the limit. Throws ReportError if a report cannot be fetched, read or merged.
 */
export async function coverage(files: readonly string[], options: CoverageOptions) {
  const report = files.length === 0 ? await fetchReport(options) : mergeFiles(files);
  const text = reportText(report, options.format);
  if (options.out !== undefined) write(options.out, text);
  const { failUnder, of } = options;
  return {
    text: options.out === undefined ? text : '',
    failure: failUnder === undefined ? undefined : shortfall(report, of, failUnder),
  };
}

function reportText(report: CoverageReport, format: CoverageOptions['format']): string {
  if (format === 'html') return coveragePage(report);
  return format === 'json' ? `${JSON.stringify(report)}\n` : coverageTable(report);
}

function mergeFiles(files: readonly string[]): CoverageReport {
  const contract = new Contract(readContract('control'));
  const named = filesOf(files).map((file) => ({ file, report: readCoverage(file, contract) }));
  return mergeReports(ofOneContract(named.map(({ file, report }) => ({ file, report, coverage: report }))));
}

function mergeRunFiles(files: readonly string[]): RunReport {
  const contract = new Contract(readContract('control'));
  const named = filesOf(files).map((file) => ({ file, report: readRun(parse(file), file, contract) }));
  return mergeRuns(ofOneContract(named.map((each) => ({ ...each, coverage: each.report.coverage }))));
}

const STORED = /^understudy-.*\.json$/;

/** The files, and those that services have written to the folders. */
function filesOf(names: readonly string[]): string[] {
  const files = names.flatMap((name) => {
    if (!isFolder(name)) return [name];
    const found = readdirSync(name).filter((file) => STORED.test(file));
    if (found.length === 0) throw new ReportError(`${name} has no report: no file understudy-….json`);
    return found.toSorted().map((file) => join(name, file));
  });
  return [...new Set(files)];
}

interface NamedReport<R> {
  file: string;
  report: R;
  coverage: CoverageReport;
}

function ofOneContract<R>(named: readonly NamedReport<R>[]): [R, ...R[]] {
  const [first, ...others] = named as [NamedReport<R>, ...NamedReport<R>[]];
  for (const { file, coverage: found } of others) {
    const [here, there] = [nameOf(found), nameOf(first.coverage)];
    if (here !== there)
      throw new ReportError(
        `${file} is about contract ${here}, ${first.file} about ${there}: reports of different contracts cannot be merged`,
      );
  }
  return [first.report, ...others.map((each) => each.report)];
}

const nameOf = ({ contract: { version, digest } }: CoverageReport) => `${version} (${digest})`;

function readCoverage(file: string, contract: Contract): CoverageReport {
  const stored = parse(file);
  if (isStoredRun(stored)) return readRun(stored, file, contract).coverage;
  const format = (stored as { format?: unknown } | null)?.format;
  if (format !== 1)
    throw new ReportError(
      format === undefined
        ? `${file} is not a coverage report: it has no format`
        : `${file} is a report of format ${JSON.stringify(format)}, this program reads format 1`,
    );
  const [complaint] = contract.checkSchema('Coverage', stored);
  if (complaint)
    throw new ReportError(`${file} is not a coverage report: ${complaint.path || '/'} ${complaint.message}`);
  return stored as CoverageReport;
}

function parse(file: string): unknown {
  const text = tryReading(`${file} cannot be read`, () => readRegularFile(file));
  return tryReading(`${file} is not JSON`, () => parseJson(text));
}

const write = (file: string, text: string) =>
  tryReading(`${file} cannot be written`, () => writeFileSync(file, text));

function tryReading<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    const reason = thrown instanceof FileError ? thrown.reason : (thrown as Error).message;
    throw new ReportError(`${what}: ${reason}`);
  }
}
