import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config.ts';
import type { Controls } from '../control/handler.ts';
import { currentReport } from '../coverage/current.ts';
import { runReportPage } from '../report/run-report-page.ts';
import type { CallRecorder } from '../report/run-report.ts';
import { junitReport } from '../report/junit.ts';

/** Throws ConfigError for a file that could not be written at the stop. */
export function checkReportFiles(files: readonly string[]): void {
  for (const file of files) {
    const folder = dirname(file);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new ConfigError(`--report ${file}: there is no folder ${folder}`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new ConfigError(`--report ${file}: it is a folder`);
    if (!isWritable(folder))
      throw new ConfigError(`--report ${file}: the folder ${folder} cannot be written to`);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes the report of the run of this process. Returns one line for each file that cannot be written. */
export function writeRunReports(
  files: readonly string[],
  controls: Controls,
  recorder: CallRecorder,
): string[] {
  const report = {
    version: controls.version,
    created: new Date().toISOString(),
    coverage: currentReport(controls),
    violations: recorder.tally.list(),
    moreViolations: recorder.tally.more,
    calls: recorder.calls(),
    total: recorder.total,
  };
  return files.flatMap((file) => {
    try {
      writeFileSync(file, /\.xml$/i.test(file) ? junitReport(report) : runReportPage(report));
      return [];
    } catch (thrown) {
      return [`understudy: the report ${file} cannot be written: ${(thrown as Error).message}`];
    }
  });
}
