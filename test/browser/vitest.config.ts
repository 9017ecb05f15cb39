import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/support/find-chromium.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
