import { extname } from 'node:path';
import { findingsIn, githubAnnotations, printable, type CoverageLimit } from './findings.ts';
import { junitReport } from './junit.ts';
import { markdownSummary } from './markdown.ts';
import { runReportPage } from './run-report-page.ts';
import type { RunReport } from './run-report.ts';

/** Marks the JSON of a run, which `serve --report` writes and `understudy report` reads. */
export const RUN_FORMAT = 'understudy-run-1';

export type ReportFormat = 'text' | 'junit' | 'github' | 'html' | 'markdown' | 'json';

export const RENDERERS: Readonly<Record<ReportFormat, (report: RunReport, limit?: CoverageLimit) => string>> =
  {
    html: runReportPage,
    junit: junitReport,
    github: githubAnnotations,
    json: (report) => `${JSON.stringify({ format: RUN_FORMAT, ...report })}\n`,
    markdown: markdownSummary,
    text: textReport,
  };

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  '.html': 'html',
  '.xml': 'junit',
  '.json': 'json',
  '.md': 'markdown',
};

/** The endings of files that have a format of their own. */
export const REPORT_EXTENSIONS = Object.keys(FORMATS);

export const formatOf = (file: string): ReportFormat | undefined => FORMATS[extname(file).toLowerCase()];

function textReport(report: RunReport, limit?: CoverageLimit): string {
  const lines = findingsIn(report, limit).map(({ kind, message, file, line }) => {
    const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
    return printable(`${kind}: ${message}${place}`);
  });
  return `${(lines.length === 0 ? ['no problems'] : lines).join('\n')}\n`;
}
