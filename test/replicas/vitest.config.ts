import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  test: {
    include: ['test/replicas/*.slow.test.ts'],
    // A fault takes about a second, but their number is open.
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
  },
});
