import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

// eslint-disable-next-line import/no-default-export -- Playwright reads the default export
export default defineConfig({
  testMatch: 'failing.spec.ts',
  outputDir: join(tmpdir(), 'understudy-playwright-test'),
  reporter: 'json',
});
