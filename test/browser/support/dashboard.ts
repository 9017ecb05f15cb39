import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openWindow, type Stage } from './stage.ts';

/** Row values, names and descriptions that must be shown as text. */
export const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';

/** Opens a page of the dashboard, such as `default/clock`. */
export async function openDashboard(
  stage: Stage,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openWindow(options);
  await page.goto(`${stage.issuer}/_control/#/${address}`);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

/**
 * Checks that nothing on the page became markup. Chromium puts text that replaces bold text into an element `b` of the
 * editor, which the editor removes a moment later.
 */
export async function expectNoMarkup(page: Page): Promise<void> {
  await expect.poll(() => page.locator('main img, main b').count()).toBe(0);
}
