import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- Vitest reads the default export
export default defineConfig({
  test: {
    globalSetup: ['understudy-server/global-setup'],
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 120_000,
  },
});
