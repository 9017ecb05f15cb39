import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- Vitest reads the default export
export default defineConfig({
  test: { dir: import.meta.dirname, include: ['*.test.mjs'], testTimeout: 12_000 },
});
