import { KNOWN_CREDENTIALS } from '@understudy/core/config';
import type { Terminal } from '@understudy/core/parts';
import { runCommand, type CommandResult } from './command.ts';
import { commandFor, type Runner } from './runners.ts';
import type { TestRun } from './seen.ts';
import { trustIn } from './trust.ts';
import { openService, type Injection } from './watched-service.ts';

/** How to run the user's tests. */
export interface Suite extends Pick<Terminal, 'variables' | 'platform'> {
  command: readonly string[];
  /** Undefined: the command cannot be told to run some tests only. */
  runner: Runner | undefined;
  seed: number;
  signal: AbortSignal;
  /** Variables with the file of authorities that a client trusts: it calls over TLS. Absent: without. */
  trust?: readonly string[] | undefined;
}

export interface SuiteRun extends CommandResult {
  tests: TestRun[];
  /** Milliseconds. */
  duration: number;
  journalOf: (test: string | undefined) => Record<string, unknown>[];
}

interface RunOptions {
  /** Undefined: all. */
  tests?: readonly string[] | undefined;
  injections?: readonly Injection[];
  /** Milliseconds that it may take. */
  limit: number;
}

/** Runs the tests against a service of their own. */
export async function runSuite(
  suite: Suite,
  { tests, injections = [], limit }: RunOptions,
): Promise<SuiteRun> {
  const service = await openService(suite.seed, injections);
  const trusted = suite.trust && (await trustIn(service, suite.trust, suite.variables));
  const variables = {
    ...suite.variables,
    ...variablesFor(service.url, trusted?.url ?? service.url),
    ...trusted?.variables,
  };
  const command = tests && suite.runner ? commandFor(suite.command, suite.runner, tests) : [...suite.command];
  const start = performance.now();
  try {
    const result = await runCommand(command, { ...suite, variables, limit });
    const duration = performance.now() - start;
    const runs = service
      .runs()
      .map((run) => (run.test === undefined ? { ...run, outcome: outcomeOf(result) } : run));
    return { ...result, tests: runs, duration, journalOf: service.journalOf };
  } finally {
    trusted?.remove();
    await service.close();
  }
}

const outcomeOf = ({ code, stopped }: CommandResult): TestRun['outcome'] =>
  stopped || code === undefined ? 'unfinished' : code === 0 ? 'passed' : 'failed';

/** What test helpers and applications read. */
const variablesFor = (control: string, url: string): Record<string, string | undefined> => ({
  UNDERSTUDY_URL: control,
  UNDERSTUDY_KEEP: 'all',
  UNDERSTUDY_BUNDLES: 'off',
  UNDERSTUDY_CONTROL_TOKEN: undefined,
  UNDERSTUDY_REPORT: undefined,
  SCALEKIT_ENVIRONMENT_URL: url,
  SCALEKIT_ENV_URL: url,
  SCALEKIT_CLIENT_ID: KNOWN_CREDENTIALS.client_id,
  SCALEKIT_CLIENT_SECRET: KNOWN_CREDENTIALS.client_secret,
  // Runners then neither watch files nor colour what they print.
  CI: '1',
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
});
