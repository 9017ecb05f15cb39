import { requestLine } from '../request-line.ts';
import type { JournalEntry } from '../control.ts';
import { hasFailed } from '../failed-call.ts';
import { wantedReports } from './start.ts';
import { bundleOf } from './bundles.ts';
import { endEnvironment, keptTests, placeOf, type EndedTest } from './kept-tests.ts';
import {
  connectUnderstudy,
  startUnderstudy,
  type StartOptions,
  type TestEnvironment,
  type Understudy,
} from './testing.ts';

/** Milliseconds that the start may take. It has a limit of its own, because tests are given up after five seconds. */
export const START_TIMEOUT = 120_000;

/** Joins the service at `UNDERSTUDY_URL`, or starts one in this process. */
export async function openSimulator(start: StartOptions = {}): Promise<Understudy> {
  keptTests(); // a wrong value must not come to light when a test fails
  const { UNDERSTUDY_URL: url, UNDERSTUDY_CONTROL_TOKEN: token } = process.env;
  if (!url) return startUnderstudy({ report: separateReports(), ...start });
  return connectUnderstudy(url, { ...(token && { token }) });
}

/** Each test file or worker has a service of its own here, and would overwrite what another one has written. */
function separateReports(): string[] {
  const folders = wantedReports();
  const file = folders.find((each) => !/[/\\]$/.test(each));
  if (file === undefined) return folders;
  throw new Error(
    `UNDERSTUDY_REPORT is ${file}, which needs one simulator for all test files: add 'understudy-server/global-setup' to the configuration as globalSetup, or name a folder, such as reports/`,
  );
}

/** What whoever reads the output of a failed test needs. */
interface FailureReport {
  report: string;
  /** The file with the run of the test. */
  bundle?: string | undefined;
}

/**
 * Keeps or drops the environment of a test. Resolves to a report if the test has failed: then nothing is thrown, so that
 * the error of the test stays the one that is shown.
 */
export async function endTest(env: TestEnvironment, ended: EndedTest): Promise<FailureReport | undefined> {
  if (!ended.isFailed) {
    await endEnvironment(env, ended);
    return undefined;
  }
  const report = await reportOf(env);
  const bundle = await bundleOf(env, ended);
  const end = await endEnvironment(env, ended).then(
    (isKept) => placeOf(env, isKept),
    (thrown: Error) => `the environment is neither kept nor dropped: ${thrown.message}`,
  );
  const lines = [report, end, ...(bundle ? [bundle.line] : [])];
  return { report: lines.join('\n  '), bundle: bundle?.file };
}

/** The most calls that a report lists. */
const MOST = 50;

/** Lists the calls that failed or broke the contract, one line each, with one sentence why; if there are none, all calls. */
export async function reportOf(env: TestEnvironment): Promise<string> {
  try {
    const calls = await env.requests.list({ limit: 1000, why: true });
    const unexpected = calls.filter(isUnexpected);
    const shown = unexpected.length > 0 ? unexpected : calls;
    const more = shown.length - MOST;
    return [
      `Understudy, environment ${env.name}: ${summaryOf(unexpected.length, calls.length)}`,
      ...(more > 0 ? [`  (${more} earlier ones are left out)`] : []),
      ...shown.slice(-MOST).map((entry) => `  ${lineOf(entry)}`),
    ].join('\n');
  } catch (thrown) {
    return `Understudy, environment ${env.name}: no journal, because ${(thrown as Error).message}`;
  }
}

function summaryOf(unexpected: number, all: number): string {
  if (all === 0) return 'the test made no calls';
  if (unexpected > 0) return `${unexpected} of ${all} calls failed or broke the contract`;
  return all === 1 ? 'its only call succeeded' : `all ${all} calls succeeded`;
}

/** A call without a status got no answer, or none until the test ended. */
const isUnexpected = (entry: JournalEntry) =>
  entry.status === undefined ||
  hasFailed(entry) ||
  entry.validation.violations.length > 0 ||
  entry.validation.response !== undefined;

function lineOf(entry: JournalEntry): string {
  const { why, validation } = entry;
  const broken =
    validation.response === undefined ? [] : [`the answer breaks the contract: ${validation.response}`];
  const isPlain = why?.kind === 'none' && !hasFailed(entry);
  return [requestLine(entry), ...(why && !isPlain ? [why.summary] : []), ...broken].join('; ');
}
