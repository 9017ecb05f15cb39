import type { Case } from './plan.ts';
import { assertionIn } from './runs/output.ts';
import type { TestRun } from './runs/seen.ts';
import { runSuite, type Suite, type SuiteRun } from './runs/suite.ts';
import { verdictOf, type Verdict } from './verdict.ts';

/** What one test did with the failure of a case. */
export interface TestVerdict extends Verdict {
  /** Absent: the suite as a whole. */
  test?: string;
  /** What the runner printed about a test that fails. */
  assertion?: string;
  /** The calls of a test that shows a fault, as the journal has them. */
  journal?: readonly object[];
  /** Why a line of a file accepts the fault. */
  accepted?: string;
  /** The baseline has the fault. */
  isKnown?: true;
}

export interface CaseResult {
  number: number;
  key: string;
  operation: string;
  failure: string;
  /** 1 for the first call of the operation. */
  call: number;
  verdicts: readonly TestVerdict[];
  /** Tests that call the same, so they were not run. */
  alike: readonly string[];
}

export interface BatchContext {
  suite: Suite;
  first: readonly TestRun[];
  /** Milliseconds that a run may take. */
  limit: number;
}

/** Runs cases of different tests at once. */
export async function runBatch(batch: readonly Case[], context: BatchContext): Promise<CaseResult[]> {
  const run = await runWith(batch, context);
  if (batch.length > 1 && isMixedUp(batch, run)) {
    const alone: CaseResult[] = [];
    for (const each of batch) alone.push(...(await runBatch([each], context)));
    return alone;
  }
  const results: CaseResult[] = [];
  for (const [rule, each] of batch.entries()) {
    const verdicts = judged({ each, rule, run }, context);
    results.push(resultOf(each, await withControl({ each, rule, run }, verdicts, context)));
  }
  return results;
}

const resultOf = (
  { number, key, operation, failure, nth, alike }: Case,
  verdicts: readonly TestVerdict[],
): CaseResult => ({ number, key, operation, failure: failure.name, call: nth + 1, verdicts, alike });

function runWith(batch: readonly Case[], { suite, limit }: BatchContext): Promise<SuiteRun> {
  const tests = [...new Set(batch.flatMap((each) => each.tests))];
  const named = tests.filter((test) => test !== undefined);
  return runSuite(suite, {
    // What belongs to no test needs the whole suite.
    tests: named.length === tests.length ? named : undefined,
    injections: batch.map(({ injection }) => injection),
    limit,
  });
}

/** A test met the failure of another case, or has no result: the cases must run alone. */
function isMixedUp(batch: readonly Case[], run: SuiteRun): boolean {
  if (run.stopped === 'interrupted') return false;
  return batch.some(({ tests }, rule) =>
    tests.some((test) => {
      const { hits, outcome } = runOf(run.tests, test);
      return outcome === 'unfinished' || hits.some((count, other) => other !== rule && count > 0);
    }),
  );
}

interface Judged {
  each: Case;
  rule: number;
  run: SuiteRun;
}

/** A control is needed only where a test goes on as if nothing were wrong. */
async function withControl(
  { each, run, rule }: Judged,
  verdicts: readonly TestVerdict[],
  context: BatchContext,
): Promise<readonly TestVerdict[]> {
  if (!each.control || verdicts.every(({ name }) => name !== 'handled')) return verdicts;
  const control = await runWith([{ ...each, injection: each.control }], context);
  return judged({ each, rule, run }, context, control);
}

function judged(
  { each: { tests, failure }, rule, run }: Judged,
  { first }: BatchContext,
  control?: SuiteRun,
): TestVerdict[] {
  const hasEscaped = run.code !== 0 && ESCAPED.test(run.output) && run.tests.every(isNoFailure);
  return tests.map((test) => {
    const its = runOf(run.tests, test);
    const verdict = verdictOf({
      failure,
      rule,
      first: runOf(first, test),
      run: its,
      hasCrashed: run.stopped === undefined && (its.outcome === 'unfinished' || hasEscaped),
      control: control && runOf(control.tests, test),
    });
    const assertion = its.outcome === 'passed' ? undefined : assertionIn(run.output, test);
    return {
      ...(test !== undefined && { test }),
      ...verdict,
      ...(assertion !== undefined && { assertion }),
      ...(verdict.isFault && { journal: run.journalOf(test).slice(0, MOST_CALLS) }),
    };
  });
}

/** So many calls of a test are in a report. */
const MOST_CALLS = 30;

/** An error that no test has caught: runners print it after tests that passed. */
const ESCAPED = /unhandled (rejection|error)|uncaught ?exception|^panic: /im;

const isNoFailure = ({ test, outcome }: TestRun) => test === undefined || outcome !== 'failed';

const runOf = (tests: readonly TestRun[], test: string | undefined): TestRun =>
  tests.find((each) => each.test === test) ?? {
    test,
    outcome: 'unfinished',
    calls: [],
    deliveries: [],
    hits: [],
  };
