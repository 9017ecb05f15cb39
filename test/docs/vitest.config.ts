import { defineConfig } from 'vitest/config';

// The `ts` blocks of the documentation that are tests; `npm run check:examples` writes them into this folder.
// eslint-disable-next-line import/no-default-export -- Vitest reads the default export
export default defineConfig({
  test: {
    dir: `${import.meta.dirname}/.examples`,
    include: ['*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
