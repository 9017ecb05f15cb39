import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

/** Debian's Chromium. Where it is missing, Playwright uses the browser from `npx playwright install chromium`. */
const CHROMIUM = '/usr/bin/chromium';

// eslint-disable-next-line import/no-default-export -- Playwright reads the default export
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(tmpdir(), 'understudy-express'),
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
