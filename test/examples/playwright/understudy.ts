import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test as base } from '@playwright/test';
import { startUnderstudy, type TestEnvironment, type Understudy } from 'understudy-server/testing';
import { createBackend } from './app.ts';

/**
 * Gives each test a new environment and a backend that uses its credentials. The simulator runs once per
 * worker.
 */
export const test = base.extend<{ env: TestEnvironment; home: string }, { sim: Understudy }>({
  sim: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright requires a destructured parameter
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

  /** The URL of the page. */
  home: async ({ env }, use) => {
    const backend = createBackend(env.url, env.clientId, env.clientSecret).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    await use(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`);
    backend.closeAllConnections();
    backend.close();
  },
});
