import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- Vitest reads the default export
export default defineConfig({
  // Without isolation, all files load the SDK only once.
  test: {
    isolate: false,
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
