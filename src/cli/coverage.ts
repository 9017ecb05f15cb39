import { writeFileSync } from 'node:fs';
import { Contract } from '../contract/contract.ts';
import { fetchReport, type ReportSource } from './fetch-coverage.ts';
import { mergeReports } from '../coverage/tally.ts';
import { ReportError, type CoverageReport, type Figure } from '../coverage/report.ts';
import { shortfall } from '../coverage/shortfall.ts';
import { coverageTable } from '../coverage/table.ts';
import { readContract } from '../documents.ts';
import { coveragePage } from '../coverage/page.ts';
import { FileError, readRegularFile } from '../files.ts';

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
  const [first, ...others] = files.map((file) => ({ file, report: read(file, contract) }));
  for (const { file, report } of others) {
    const [here, there] = [nameOf(report), nameOf(first!.report)];
    if (here !== there)
      throw new ReportError(
        `${file} is about contract ${here}, ${first!.file} about ${there}: reports of different contracts cannot be merged`,
      );
  }
  return mergeReports([first!.report, ...others.map(({ report }) => report)]);
}

const nameOf = ({ contract: { version, digest } }: CoverageReport) => `${version} (${digest})`;

function read(file: string, contract: Contract): CoverageReport {
  const report = parse(file);
  const format = (report as { format?: unknown } | null)?.format;
  if (format !== 1)
    throw new ReportError(
      format === undefined
        ? `${file} is not a coverage report: it has no format`
        : `${file} is a report of format ${JSON.stringify(format)}, this program reads format 1`,
    );
  const [complaint] = contract.checkSchema('Coverage', report);
  if (complaint)
    throw new ReportError(`${file} is not a coverage report: ${complaint.path || '/'} ${complaint.message}`);
  return report as CoverageReport;
}

function parse(file: string): unknown {
  const text = tryReading(`${file} cannot be read`, () => readRegularFile(file));
  return tryReading(`${file} is not JSON`, () => JSON.parse(text) as unknown);
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
