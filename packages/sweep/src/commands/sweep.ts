import { readVersion } from '@understudy/core/contract/documents';
import type { Terminal } from '@understudy/core/parts';
import { writeTextFile } from '@understudy/text/files';
import { marked, readAccepted } from '../accepted.ts';
import { batchesOf } from '../batches.ts';
import { planOf, reachingTests, type Case } from '../plan.ts';
import { Progress } from '../progress.ts';
import { formatOf, githubOf } from '../report/formats.ts';
import { findingsOf, readReport, type SweepReport } from '../report/report.ts';
import { textReport } from '../report/text.ts';
import { runBatch, type BatchContext, type CaseResult } from '../run-batch.ts';
import { runnerOf } from '../runs/runners.ts';
import type { Suite } from '../runs/suite.ts';
import { isPython, PYTHON_TRUST } from '../runs/trust.ts';
import { firstRun, startOf } from './first-run.ts';
import { runAll } from './lanes.ts';
import { earlierResults, knownResult, wantedCases, wantedFailures } from './selection.ts';

export interface SweepOptions {
  command: readonly string[];
  failure?: readonly string[];
  operation?: string;
  scenario?: readonly string[];
  case?: number;
  /** Milliseconds. */
  time?: number;
  jobs: number;
  seed: number;
  accept?: string;
  baseline?: string;
  resume?: string;
  report?: readonly string[];
}

/** Milliseconds that a run with a failure may take at least: longer than an answer that is too late. */
const LEAST_LIMIT = 60_000;

/** `understudy sweep`: runs the tests against every failure. */
export async function sweep(options: SweepOptions, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const { command, seed, report: files = [], accept, baseline } = options;
  for (const file of files) if (file !== 'github') formatOf(file);
  const accepted = readAccepted(accept);
  const before = baseline === undefined ? undefined : readReport(baseline);
  const earlier = earlierResults(options);
  const failures = await wantedFailures(options);
  const { variables, platform } = terminal;
  const trust = isPython(command) ? PYTHON_TRUST : undefined;
  const suite: Suite = { command, runner: runnerOf(command), seed, signal, variables, platform, trust };

  const first = await firstRun(suite);
  const plan = wantedCases(planOf(first.tests, failures), options);
  const known = plan.flatMap((each) => knownResult(each, earlier) ?? []);
  terminal.err(`${startOf(first, plan.length, known.length)}\n`);

  const results = [...known];
  const report = (): SweepReport => ({
    format: 1,
    version: readVersion(),
    command,
    seed,
    tests: first.tests.length,
    results: marked(results, accepted, before).toSorted((a, b) => a.number - b.number),
    left: plan.length - results.length,
  });
  await runCases(
    plan.filter(({ key }) => !known.some((each) => each.key === key)),
    {
      options,
      terminal,
      context: { suite, first: first.tests, limit: Math.max(LEAST_LIMIT, 3 * first.duration) },
      onDone: (found) => {
        results.push(...found);
        // A sweep that is killed can be continued from here.
        for (const file of files.filter((each) => each.endsWith('.json')))
          writeTextFile(file, formatOf(file)(report()));
        return countFaults(report());
      },
    },
  );
  finish(report(), files, terminal);
}

interface Running {
  options: SweepOptions;
  terminal: Terminal;
  context: BatchContext;
  /** Returns the number of faults so far. */
  onDone: (results: readonly CaseResult[]) => number;
}

async function runCases(
  cases: readonly Case[],
  { options, terminal, context, onDone }: Running,
): Promise<void> {
  const progress = new Progress(cases.length, terminal.err, terminal.isWatched === true);
  await runAll(batchesOf(cases, reachingTests(context.first)), {
    ...options,
    signal: context.suite.signal,
    run: (batch) => runBatch(batch, context),
    onDone: (found) => progress.add(found.length, onDone(found)),
  });
  progress.end();
}

function finish(report: SweepReport, files: readonly string[], { out, err, fail }: Terminal): void {
  out(textReport(report));
  for (const file of files) {
    if (file === 'github') out(githubOf(report));
    else writeTextFile(file, formatOf(file)(report));
  }
  if (report.left > 0) err('To go on: --resume with a report that --report has written as JSON.\n');
  if (countFaults(report) > 0) fail();
}

const countFaults = (report: SweepReport) => findingsOf(report).filter(({ kind }) => kind === 'fault').length;
