import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';
import path from 'node:path';
import { messageOf } from './bundles.ts';
import { endTest, openSimulator, START_TIMEOUT } from './suite.ts';
import type { StartOptions, TestContext, TestEnvironment, TestOptions, Understudy } from './testing.ts';

export { expect } from '@playwright/test';
export type { TestOptions } from './testing.ts';

export interface TestFixtures extends Pick<TestContext, 'env'> {
  /** What the environment of each test starts with: `test.use({ understudy: { fixture: 'small' } })`. */
  understudy: TestOptions;
}

export interface WorkerFixtures extends Pick<TestContext, 'sim'> {
  /** How each worker starts the simulator; ignored if `UNDERSTUDY_URL` names a running one. */
  understudyStart: StartOptions;
}

interface TestArgs extends PlaywrightTestArgs, PlaywrightTestOptions, TestFixtures {}
interface WorkerArgs extends PlaywrightWorkerArgs, PlaywrightWorkerOptions, WorkerFixtures {}

/**
 * The `test` of Playwright with `env`, a new environment for each test, and `sim`, the simulator of the worker. A test that
 * fails has the attachment `understudy`: the calls that failed, and why, or all calls.
 *
 * @example test('…', async ({ page, env }) => { await env.scenario('invite-expired'); });
 */
export const test: TestType<TestArgs, WorkerArgs> = base.extend<TestFixtures, WorkerFixtures>({
  understudy: [{}, { option: true }],
  understudyStart: [{}, { option: true, scope: 'worker' }],
  sim: [
    async (
      { understudyStart }: { understudyStart: StartOptions },
      use: (sim: Understudy) => Promise<void>,
    ) => {
      const sim = await openSimulator(understudyStart);
      await use(sim);
      await sim.stop();
    },
    { scope: 'worker', timeout: START_TIMEOUT },
  ],
  env: async ({ sim, understudy }, use: (env: TestEnvironment) => Promise<void>, testInfo) => {
    const env = await sim.environment(understudy);
    await use(env);
    const isFailed = testInfo.status !== testInfo.expectedStatus;
    const file = path.relative('', testInfo.file);
    const failure = messageOf(testInfo.error?.message ?? '');
    const ended = { test: testInfo.titlePath.join(' > '), isFailed, file, failure };
    const failed = await endTest(env, ended);
    if (!failed) return;
    await testInfo.attach('understudy', { body: failed.report, contentType: 'text/plain' });
    if (failed.bundle === undefined) return;
    const bundle = { path: failed.bundle, contentType: 'application/octet-stream' };
    await testInfo.attach('understudy-bundle', bundle);
  },
});
