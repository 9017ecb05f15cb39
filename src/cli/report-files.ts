import { accessSync, appendFileSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, type Config } from '../start/config.ts';
import type { Controls } from '../control/handler.ts';
import { currentReport } from '../coverage/current.ts';
import { formatOf, RENDERERS, REPORT_EXTENSIONS } from '@understudy/report/formats';
import { markdownSummary } from '@understudy/report/markdown';
import type { CallRecorder, RunReport } from '@understudy/report/run-report';

/** The ending of a folder in which each service writes a file of its own. */
const isFolderName = (name: string) => /[/\\]$/.test(name);

/** Throws ConfigError for a file that could not be written at the stop. Makes the folders. */
export function checkReportFiles(files: readonly string[]): void {
  for (const file of files) if (isFolderName(file)) makeFolder(file);
  for (const file of files) if (!isFolderName(file)) checkFile(file);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (thrown) {
    throw new ConfigError(`--report ${folder}: the folder cannot be made: ${(thrown as Error).message}`);
  }
  if (!isWritable(folder)) throw new ConfigError(`--report ${folder}: the folder cannot be written to`);
}

function checkFile(file: string): void {
  const folder = dirname(file);
  if (!formatOf(file))
    throw new ConfigError(`--report ${file}: it must end in ${REPORT_EXTENSIONS.join(', ')} or /`);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`--report ${file}: there is no folder ${folder}`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`--report ${file}: it is a folder; a folder for several reports ends in /`);
  if (!isWritable(folder))
    throw new ConfigError(`--report ${file}: the folder ${folder} cannot be written to`);
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
  { report: files, stepSummary }: Pick<Config, 'report' | 'stepSummary'>,
  controls: Controls,
  recorder: CallRecorder,
): string[] {
  const report = runReportOf(controls, recorder);
  const id = report.coverage.runs[0]!.id;
  const writes = files.map((file): [string, () => void] => {
    const name = isFolderName(file) ? join(file, `understudy-${id}.json`) : file;
    return [name, () => writeFileSync(name, RENDERERS[formatOf(name)!](report))];
  });
  if (stepSummary !== undefined)
    writes.push([stepSummary, () => appendFileSync(stepSummary, markdownSummary(report))]);
  return writes.flatMap(([name, write]) => {
    try {
      write();
      return [];
    } catch (thrown) {
      return [`understudy: the report ${name} cannot be written: ${(thrown as Error).message}`];
    }
  });
}

const runReportOf = (controls: Controls, recorder: CallRecorder): RunReport => ({
  version: controls.version,
  created: new Date().toISOString(),
  coverage: currentReport(controls),
  violations: recorder.tally.list(),
  moreViolations: recorder.tally.more,
  calls: recorder.calls(),
  total: recorder.total,
  ...recorder.outcomes.list(),
});
