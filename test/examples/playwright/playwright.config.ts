import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

/** Debian's. Without it, Playwright takes the browser that `npx playwright install chromium` has fetched. */
const CHROMIUM = '/usr/bin/chromium';

// eslint-disable-next-line import/no-default-export -- the runner reads it from there
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(tmpdir(), 'understudy-playwright'),
  timeout: 120_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    launchOptions: {
      ...(existsSync(CHROMIUM) && { executablePath: CHROMIUM }),
      args: ['--no-sandbox'],
    },
  },
});
