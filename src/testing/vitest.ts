import { test as base, type TestAPI, type TestContext as VitestContext } from 'vitest';
import { endTest, openSimulator } from './suite.ts';
import type { SuiteOptions, TestContext } from './testing.ts';

export type { SuiteOptions, TestContext } from './testing.ts';

/** Milliseconds. vitest gives up a test after 5 seconds, and the error that says why must come first. */
const JOIN_TIMEOUT = 4000;

/**
 * A `test` of vitest whose function gets `env`, a new environment, and `sim`, the simulator of the worker. If a test fails,
 * its output has the calls that failed, and why, or all calls.
 *
 * @example const test = understudyTest({ fixture: 'small', clock: '2030-01-01T09:00:00Z' });
 */
export function understudyTest({ start, ...options }: SuiteOptions = {}): TestAPI<TestContext> {
  return base.extend<TestContext>({
    sim: [
      // oxlint-disable-next-line no-empty-pattern -- vitest requires a destructured parameter
      async ({}, use) => {
        const sim = await openSimulator(start, JOIN_TIMEOUT);
        await use(sim);
        await sim.stop();
      },
      { scope: 'worker' },
    ],
    env: async ({ sim, task }, use) => {
      const env = await sim.environment(options);
      await use(env);
      const report = await endTest(env, { test: nameOf(task), isFailed: task.result?.state === 'fail' });
      if (report) console.error(report);
    },
  });
}

/** As vitest prints it: `test/roles.test.ts > a role > is created`. */
function nameOf({ file, suite, name }: VitestContext['task']): string {
  const names = [name];
  for (let each = suite; each && each !== file; each = each.suite) names.unshift(each.name);
  return [file.name, ...names].join(' > ');
}

/**
 * A `test` of vitest with an environment.
 *
 * @example test('…', async ({ env }) => { await env.scenario('invite-expired'); });
 */
export const test: TestAPI<TestContext> = understudyTest();
