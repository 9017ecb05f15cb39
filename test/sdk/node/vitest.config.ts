import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  // Together, they load the package once.
  test: {
    isolate: false,
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
