import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

/** Debian's Chromium. Where it is missing, Playwright uses the browser from `npx playwright install chromium`. */
const CHROMIUM = '/usr/bin/chromium';

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: 'app.spec.mjs',
  outputDir: join(tmpdir(), 'understudy-nextjs'),
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
