import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ENTRIES } from '@understudy/dashboard/navigation';
import { openDashboard } from './support/dashboard.ts';
import { fill } from './support/filled.ts';
import { setStage } from './support/stage.ts';

/** In milliseconds: the keyboard goes through every control of every page. */
const LIMIT = 1_200_000;

/**
 * Follows the focus inside the page: a key press that is asked about costs as much as ten that are not. A control that
 * gets the focus without an outline is noted in `unseen`.
 */
const FOLLOW = `
  globalThis.reached = new Set();
  globalThis.unseen = [];
  addEventListener('focusin', ({ target }) => {
    reached.add(target);
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    const isSeen = outlineStyle !== 'none' && outlineWidth !== '0px';
    if (!isSeen && target.id !== 'main') unseen.push(target.outerHTML.slice(0, 200));
  }, true);
`;

const CONTROLS = 'a[href], button, input, select, textarea, summary, pre[tabindex="0"]';

/** How many controls of the page can have the focus now. */
const countControls = (page: Page) =>
  page.evaluate<number>(
    `[...document.querySelectorAll(${JSON.stringify(CONTROLS)})].filter((each) => each.checkVisibility()).length`,
  );

/** The controls of the page that did not get the focus. */
const missed = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(CONTROLS)})]
       .filter((each) => each.checkVisibility() && !each.disabled && !reached.has(each))
       .map((each) => each.outerHTML.slice(0, 200))`,
  );

/** Presses Tab until the link has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const link = page.getByRole('link', { name, exact: true });
  // Further controls may appear meanwhile.
  for (let pressed = 0; pressed < 2 * (await countControls(page)) + 10; pressed += 1) {
    if (await link.evaluate((each) => each.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** Presses Tab until every control had the focus; further controls may appear meanwhile. Returns those that had none. */
async function tabThrough(page: Page): Promise<string[]> {
  let left: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (let presses = (await countControls(page)) + 10; presses > 0; presses -= 1)
      await page.keyboard.press('Tab');
    left = await missed(page);
    if (left.length === 0) break;
  }
  return left;
}

it(
  'every page and every control is reached with the keyboard alone, and shows that it has the focus',
  {
    timeout: LIMIT,
  },
  async () => {
    const stage = await setStage();
    await fill(stage);
    const page = await openDashboard(stage, 'default/requests');
    await page.evaluate(FOLLOW);
    const flaws: string[] = [];
    for (const [, title] of ENTRIES) {
      await tabTo(page, title);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await page.locator('main').locator('a, button, input').first().waitFor();
      flaws.push(...(await tabThrough(page)).map((control) => `${title}: not reached: ${control}`));
    }

    expect(flaws).toEqual([]);
    expect(await page.evaluate('unseen')).toEqual([]);
  },
);

it('the first Tab leads to a link that skips the navigation', async () => {
  const page = await openDashboard(await setStage(), 'default/clock');
  await page.locator('main').getByText('What is due').waitFor();

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');

  expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
});

it.each([
  ['environments', 'Copy variables', 'Text to copy'],
  ['row/organizations/org_10000000000000001', 'Delete…', 'Keep'],
])('Escape closes what a button of %s opens: %s', async (address, opener, opened) => {
  const page = await openDashboard(await setStage(), `default/${address}`);
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  const button = page.getByRole('button', { name: opener });
  await button.focus();

  await page.keyboard.press('Enter');
  await page
    .getByLabel(opened)
    .or(page.getByRole('button', { name: opened }))
    .waitFor();
  await page.keyboard.press('Escape');

  await expect.poll(() => button.evaluate((each) => each.matches(':focus'))).toBe(true);
});
