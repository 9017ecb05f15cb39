import { test as base } from 'vitest';
import { startUnderstudy, type TestEnvironment, type Understudy } from 'understudy-server/testing';

/** Tests that ask for `world` get one that nobody else sees. One service serves all tests of a worker. */
export const test = base.extend<{ sim: Understudy; world: TestEnvironment }>({
  sim: [
    // oxlint-disable-next-line no-empty-pattern -- the runner wants it to be written so
    async ({}, use) => {
      const sim = await startUnderstudy();
      await use(sim);
      await sim.stop();
    },
    { scope: 'worker' },
  ],
  world: async ({ sim }, use) => {
    const world = await sim.environment();
    await use(world);
    await world.drop();
  },
});
