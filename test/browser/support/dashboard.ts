import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openWindow, type Stage } from './stage.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

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

/** Schemes and widths at which a page is checked. */
export const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  [320, 1280].map((width) => [scheme, width] as const),
);

export const lookOf = (colorScheme: 'light' | 'dark', width: number): BrowserContextOptions => ({
  colorScheme,
  viewport: { width, height: 800 },
  bypassCSP: true,
});

/** Checks that axe-core finds nothing outside the element `without` and that the page is not wider than its window. */
export async function expectAccessible(page: Page, without?: string): Promise<void> {
  await page.addScriptTag({ content: AXE });
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(${JSON.stringify({ exclude: without ? [without] : [] })})`,
  );
  expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  const [content, window] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  expect(content!).toBeLessThanOrEqual(window!);
}

/** Checks that nothing on the page became markup. */
export async function expectNoMarkup(page: Page): Promise<void> {
  expect(await page.locator('main img, main b').count()).toBe(0);
}

/** Checks a page of the dashboard in one look. `ready` is a text of the page; `prepare` opens what is to be checked. */
export async function expectAccessibleAt(
  stage: Stage,
  address: string,
  [colorScheme, width]: (typeof LOOKS)[number],
  ready: string | RegExp,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const page = await openDashboard(stage, address, lookOf(colorScheme, width));
  await page.getByText(ready).first().waitFor();
  await prepare(page);
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await expectAccessible(page);
  await picture(page, `${address.replaceAll('/', '-').slice(0, 40)}-${colorScheme}-${width}`);
}

/** Writes a picture of the page if `SCREENSHOTS` names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
