import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ['*.spec.ts'],
    testTimeout: 120_000,
    // Joins the service of UNDERSTUDY_URL, or starts one for the run.
    globalSetup: ['understudy-server/global-setup'],
  },
});
