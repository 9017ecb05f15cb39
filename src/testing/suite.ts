import { hasFailed, reasonLines, requestLine } from '../cli/service/follow.ts';
import type { JournalEntry } from '../client/control.ts';
import { wantedReports } from './start.ts';
import {
  connectUnderstudy,
  startUnderstudy,
  type StartOptions,
  type TestEnvironment,
  type Understudy,
} from './testing.ts';

/** Joins the service at `UNDERSTUDY_URL`, for which it waits up to `timeout` milliseconds, or starts one in this process. */
export async function openSimulator(start: StartOptions = {}, timeout?: number): Promise<Understudy> {
  const { UNDERSTUDY_URL: url, UNDERSTUDY_CONTROL_TOKEN: token } = process.env;
  if (!url) return startUnderstudy({ report: separateReports(), ...start });
  return connectUnderstudy(url, { ...(token && { token }), ...(timeout !== undefined && { timeout }) });
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

/** The most calls that a report lists. */
const MOST = 50;

/**
 * Lists the calls that failed or broke the contract, one line each, with the reason. Reports instead of throwing if the
 * service does not answer, so that the error of the test stays the one that is shown.
 */
export async function reportOf(env: TestEnvironment): Promise<string> {
  try {
    const calls = await env.requests.list({ limit: 1000 });
    const unexpected = calls.filter(isUnexpected);
    const title = `Understudy, environment ${env.name}: ${unexpected.length} of ${calls.length} calls failed or broke the contract`;
    const more = unexpected.length - MOST;
    return [
      title,
      ...(more > 0 ? [`  (${more} earlier ones are left out)`] : []),
      ...unexpected.slice(-MOST).map((entry) => `  ${lineOf(entry)}`),
    ].join('\n');
  } catch (thrown) {
    return `Understudy, environment ${env.name}: no journal, because ${(thrown as Error).message}`;
  }
}

/** A call without a status got no answer. */
const isUnexpected = (entry: JournalEntry) =>
  hasFailed({ ...entry, status: entry.status ?? Infinity }) ||
  entry.validation.violations.length > 0 ||
  entry.validation.response !== undefined;

function lineOf(entry: JournalEntry): string {
  const reasons = reasonLines(entry).map((line) => line.trim());
  return [requestLine(entry), ...new Set(reasons)].join('; ');
}
