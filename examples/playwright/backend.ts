import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test as base } from 'understudy-server/playwright';
import { createBackend } from './app.ts';

/** Gives each test a backend that uses the credentials of the test's environment. */
export const test = base.extend<{ home: string }>({
  /** The URL of the page. */
  home: async ({ env }, use) => {
    const backend = createBackend(env.url, env.clientId, env.clientSecret).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    await use(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`);
    backend.closeAllConnections();
    backend.close();
  },
});
