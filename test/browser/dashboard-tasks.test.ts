import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { setStage, type Stage } from './support/stage.ts';

const ACME = 'org_10000000000000001';

/** Presses Tab until the control has the focus. Resolves to the number of keys. */
async function tabTo(page: Page, wanted: Locator): Promise<number> {
  await wanted.waitFor();
  for (let keys = 0; keys < 100; keys += 1) {
    if (await wanted.evaluate((each) => each.matches(':focus'))) return keys;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there');
}

async function failOnce(stage: Stage): Promise<void> {
  await stage.control('POST', '/scenarios', { name: 'rate-limit-once' });
  await expect(stage.api('GET', '/api/v1/users')).rejects.toThrow('429');
  for (let made = 0; made < 20; made += 1) await stage.api('GET', '/api/v1/users');
}

it('finds why a call failed, with the keyboard alone', async () => {
  const stage = await setStage();
  await failOnce(stage);
  const page = await openDashboard(stage, 'default/requests');

  let keys = await tabTo(page, page.getByRole('searchbox'));
  await page.keyboard.type('429');
  await page.getByText(/^1 of \d+ calls$/).waitFor();
  const call = page.getByRole('list', { name: 'Calls' }).getByRole('link').first();
  keys += 3 + (await tabTo(page, call));
  await page.keyboard.press('Enter');

  await page.getByText('matches; applied 1 of 1 times').waitFor();
  console.info(`to find why a call failed: ${keys + 1} keys`);
  expect(keys).toBeLessThan(50);
});

it('edits a row and undoes it, with the keyboard alone', async () => {
  const stage = await setStage();
  const page = await openDashboard(stage, `default/row/organizations/${ACME}`);

  let keys = await tabTo(page, page.getByLabel('display_name (required)'));
  await page.keyboard.type('X');
  await page.keyboard.press('Enter');
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject({
    display_name: expect.stringContaining('X'),
  });
  const undo = page.getByRole('button', { name: `Undo change ${ACME}` });
  await undo.waitFor();
  let back = 0;
  for (; !(await undo.evaluate((each) => each.matches(':focus'))); back += 1)
    await page.keyboard.press('Shift+Tab');
  keys += 2 + back;
  await page.keyboard.press('Enter');

  await undo.waitFor({ state: 'detached' });
  expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject({
    display_name: 'Acme Corp',
  });
  console.info(`to edit and undo: ${keys + 1} keys`);
});
