import { test as base } from 'vitest';
import { startUnderstudy, type TestEnvironment, type Understudy } from 'understudy-server/testing';

/** Gives each test that asks for `env` a new environment. All tests of a worker share one simulator. */
export const test = base.extend<{ sim: Understudy; env: TestEnvironment }>({
  sim: [
    // oxlint-disable-next-line no-empty-pattern -- Vitest requires a destructured parameter
    async ({}, use) => {
      const sim = await startUnderstudy();
      await use(sim);
      await sim.stop();
    },
    { scope: 'worker' },
  ],
  env: async ({ sim }, use) => {
    const env = await sim.environment();
    await use(env);
    await env.drop();
  },
});
