import { UsageError } from '@understudy/core/cli/usage-error';
import { counted } from '@understudy/text/words';
import { assertionIn } from '../runs/output.ts';
import { runSuite, type Suite, type SuiteRun } from '../runs/suite.ts';

/** Milliseconds. */
const LIMIT = 600_000;

/** Runs the tests without a failure, to learn which of them call the service. Throws UsageError if one fails or none calls. */
export async function firstRun(suite: Suite): Promise<Pick<SuiteRun, 'tests' | 'duration'>> {
  const run = await runSuite(suite, { limit: LIMIT });
  refuseBadStart(run, suite.command);
  return { tests: run.tests.filter(({ calls }) => calls.length > 0), duration: run.duration };
}

export function startOf(
  { tests, duration }: Pick<SuiteRun, 'tests' | 'duration'>,
  cases: number,
  known: number,
): string {
  const done = known > 0 ? `, ${known} of them done before` : '';
  return `${counted(tests.length, 'test')} in ${(duration / 1000).toFixed(1)} s; ${counted(cases, 'case')} to run${done}`;
}

function refuseBadStart(first: SuiteRun, command: readonly string[]): void {
  const words = command.join(' ');
  if (first.stopped === 'interrupted') throw new UsageError('the sweep was interrupted in its first run');
  if (first.code !== 0)
    throw new UsageError(
      `the tests must pass before failures are tried, and ${words} ended with ${first.code ?? first.signal}: ${assertionIn(first.output, undefined)}`,
    );
  if (first.tests.every(({ calls }) => calls.length === 0))
    throw new UsageError(
      `${words} made no call to the service: tests must use the address in UNDERSTUDY_URL or SCALEKIT_ENVIRONMENT_URL`,
    );
}
