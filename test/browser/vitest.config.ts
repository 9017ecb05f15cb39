import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- Vitest reads the default export
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/support/chromium.ts'],
    // The modules of the simulator are loaded once a worker: no test changes them.
    isolate: false,
    maxWorkers: '100%',
    testTimeout: 400_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 400_000,
  },
});
