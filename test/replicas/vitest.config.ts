import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  test: {
    include: ['test/replicas/*.slow.test.ts'],
    // Two seconds for a fault are plenty, on a busy machine too.
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
  },
});
