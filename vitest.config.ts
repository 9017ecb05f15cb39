import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const TESTS = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];

/** Tests that start processes, install packages or try thousands of cases. `npm run test:all` runs them too. */
const SLOW = ['test/**/*.slow.test.ts', 'packages/*/test/**/*.slow.test.ts'];

/** Other runners run these. */
const ELSEWHERE = [
  '**/node_modules/**',
  'test/browser/**',
  'test/docs/.examples/**',
  'examples/**',
  'test/replicas/*.slow.test.ts',
  'test/sdk/**',
];

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  test: {
    // Only a test that hangs is ended: a busy machine is no reason to fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    // Nothing that changes belongs to a module of ours: each file may use those that the file before it has loaded.
    isolate: false,
    globalSetup: 'test/support/global-setup.ts',
    restoreMocks: true,
    unstubEnvs: true,
    maxWorkers: '100%',
    // `-t` finds a test by its operation: by default, a title shows 40 characters of a value.
    chaiConfig: { truncateThreshold: 100 },
    projects: [
      { extends: true, test: { name: 'fast', include: TESTS, exclude: [...ELSEWHERE, ...SLOW] } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          exclude: ELSEWHERE,
          testTimeout: 600_000,
          // They wait for other processes most of the time. They start when the fast tests are over.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
