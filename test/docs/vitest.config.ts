import { defineConfig } from 'vitest/config';

// The `ts` blocks of the documentation that are tests; `npm run check:docs` writes them here.
// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  test: {
    dir: `${import.meta.dirname}/.examples`,
    include: ['*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
