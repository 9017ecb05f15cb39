import { test as base } from 'vitest';
import { startUnderstudy, type TestEnvironment, type Understudy } from 'understudy-server/testing';

/** Tests that ask for `env` get one that nobody else sees. One service serves all tests of a worker. */
export const test = base.extend<{ sim: Understudy; env: TestEnvironment }>({
  sim: [
    // oxlint-disable-next-line no-empty-pattern -- the runner wants it to be written so
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
