import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { restOf } from './support/callers.ts';
import { openDashboard } from './support/dashboard.ts';
import { setStage, type Stage } from './support/stage.ts';

/** More than a list of choices has. */
const MANY = 520;

/** A service whose organizations, and deliveries to an inbox, are more than the lists of the dashboard show. */
async function crowded(): Promise<Stage> {
  const stage = await setStage();
  await stage.control('POST', '/webhooks/endpoints', { kind: 'inbox' });
  const call = await restOf(stage);
  for (let made = 0; made < MANY; made += 1)
    await call('/api/v1/organizations', { method: 'POST', body: { display_name: `Company No${made}` } });
  return stage;
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

describe('the dashboard of a large environment', () => {
  it('finds each organization in a list of choices, and keeps the one that is chosen', async () => {
    const page = await openDashboard(await crowded(), 'default/identity-providers');
    await field(page, 'Organization').waitFor();
    expect(await field(page, 'Organization').locator('option').count()).toBeLessThan(MANY);

    await field(page, 'Find an organization').fill('no519');
    await page.getByText('1 matches.').waitFor();
    await field(page, 'Organization').selectOption('Company No519');
    await field(page, 'Find an organization').fill('no7');

    await page.getByText(/^\d+ match\.$/).waitFor();
    const chosen = field(page, 'Organization').locator('option:checked');
    await expect.poll(() => chosen.textContent()).toBe('Company No519');
  });

  it('says what its lists leave out', async () => {
    const page = await openDashboard(await crowded(), 'default/webhooks');
    await page.getByText(/^These are the latest 200 deliveries/).waitFor();
    await page.keyboard.press('Control+K');
    const palette = page.getByRole('dialog', { name: 'Find anything' });

    await palette.getByRole('combobox').fill('no51');

    const found = palette.getByRole('option', { name: /organizations/ });
    await found.filter({ hasText: 'All 11 with this text' }).waitFor();
    expect(await found.first().textContent()).toMatch(/^Company No51/);
    await palette.getByRole('combobox').fill('list');
    await palette.getByText(/^and \d+ more: another word narrows the list$/).waitFor();
    await palette.getByRole('combobox').fill('no51');
    await found.filter({ hasText: 'All 11 with this text' }).click();
    await page.waitForURL(/state\/organizations\?contains=no51/);
    await page.getByText('Company No515').waitFor();
  });
});
