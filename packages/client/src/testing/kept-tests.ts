import { ControlError } from '../control.ts';
import { beginningOf } from '@understudy/text/json';
import type { TestEnvironment } from './understudy.ts';

/** A test that has ended. */
export interface EndedTest {
  /** As the runner names it, with its file. */
  test: string;
  isFailed: boolean;
  /** Its file. */
  file?: string | undefined;
  /** What it has said when it failed. */
  failure?: string | undefined;
}

/** Set if the service at `UNDERSTUDY_URL` ends with the tests. */
export const ENDS_WITH_TESTS = 'UNDERSTUDY_ENDS_WITH_TESTS';

const LONGEST_NAME = 1000;

/** The tests whose environments are kept. Throws if `UNDERSTUDY_KEEP` has another value. */
export function keptTests(): 'failed' | 'all' | 'none' {
  const { UNDERSTUDY_KEEP: said = '' } = process.env;
  if (said === '') return 'none';
  if (said === 'failed' || said === 'all') return said;
  throw new Error(`UNDERSTUDY_KEEP must be failed or all, not ${said}`);
}

/** Keeps the environment of a test or drops it, as `UNDERSTUDY_KEEP` says. Resolves to whether it is kept. */
export async function endEnvironment(env: TestEnvironment, { test, isFailed }: EndedTest): Promise<boolean> {
  const kept = keptTests();
  if (kept === 'none' || (kept === 'failed' && !isFailed)) {
    await env.drop();
    return false;
  }
  try {
    await env.keep({ test: beginningOf(test, LONGEST_NAME), outcome: isFailed ? 'failed' : 'passed' });
    return true;
  } catch (thrown) {
    if (thrown instanceof ControlError && thrown.status === 404) return false; // the test itself has dropped it
    throw thrown;
  }
}

/** Where the calls of a test are found after the tests, or the command that says how to keep them until then. */
export function placeOf({ url, name }: TestEnvironment, isKept: boolean): string {
  const { UNDERSTUDY_URL: joined, [ENDS_WITH_TESTS]: endsWithTests } = process.env;
  if (isKept && joined && !endsWithTests) return `kept: ${url}/_control/#/${name}/requests`;
  return `for more: npx understudy-server explain --environment ${name}`;
}
