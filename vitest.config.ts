import { defineConfig } from 'vitest/config';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/docs/.examples/**', 'test/examples/**', 'test/sdk/**'],
    // Only a test that hangs is ended: a busy machine is no reason to fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    // Nothing that changes belongs to a module of ours: each file may use those that the file before it has loaded.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    maxWorkers: '100%',
  },
});
