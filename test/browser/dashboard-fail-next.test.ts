import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { flawsOf } from './support/looks.ts';
import { setStage } from './support/stage.ts';

const LIST = 'OrganizationService_ListOrganization';
const OPEN = 'Fail the next call…';

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Fail the next call' });

/** Chooses the failure, by a part of its title. */
async function choose(page: Page, title: RegExp): Promise<void> {
  const option = dialogOf(page).getByRole('option', { name: title });
  await dialogOf(page)
    .getByLabel('What happens')
    .selectOption(await option.textContent());
}

describe('"Fail the next call"', () => {
  it('finds the operation by plain words with the keyboard alone, and shows that the rule applies', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/scenarios');
    await page.getByRole('button', { name: OPEN }).focus();
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('combobox').waitFor();
    await page.keyboard.type('invite');
    const found = dialogOf(page).getByRole('option');
    await found.filter({ hasText: 'Create a user in an organization' }).waitFor();
    await found.filter({ hasText: 'Add a user to an organization' }).waitFor();
    await page.keyboard.type(' nonesuch');
    await dialogOf(page).getByText('No operation has these words.').waitFor();
    await dialogOf(page).getByRole('combobox').fill('list organizations');
    await found.first().getByText('List organizations').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText(LIST).waitFor();
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('0 applied').waitFor();

    await expect(stage.api('GET', '/api/v1/organizations')).rejects.toThrow('503');
    await dialogOf(page).getByText('1 applied').waitFor();
    expect(await stage.api('GET', '/api/v1/organizations')).toHaveProperty('organizations');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialogOf(page).count()).toBe(0);
    await page.getByRole('region', { name: 'Loaded' }).getByText('1 applied').waitFor();
  });

  it('finds writes of the API first, and says what will happen before it is loaded', async () => {
    const page = await openDashboard(await setStage(), 'default/scenarios');
    await page.getByRole('button', { name: OPEN }).click();
    await dialogOf(page).getByRole('combobox').fill('create user');
    const first = dialogOf(page).getByRole('option').first();
    await first.getByText('Create a user in an organization').waitFor();
    await page.keyboard.press('Enter');

    const said = 'The next call of “Create a user in an organization” (POST ';
    await dialogOf(page).getByText(said).waitFor();
    await dialogOf(page).getByText('gets: 503: the service is not available.').waitFor();
  });

  it('fails every call with a status, until it is unloaded, from the page of a call', async () => {
    const stage = await setStage();
    await stage.api('GET', '/api/v1/organizations');
    const { requests } = await stage.control<{ requests: { id: string }[] }>(
      'GET',
      `/requests?operation=${LIST}`,
    );
    const page = await openDashboard(stage, `default/request/${requests[0]!.id}`);
    await page.getByRole('button', { name: OPEN }).click();
    await choose(page, /^Another status/);
    await dialogOf(page).getByLabel('Status').fill('507');
    await dialogOf(page).getByLabel('How often').selectOption('Always, until it is unloaded');
    await dialogOf(page).getByRole('button', { name: 'Let it fail' }).click();
    await dialogOf(page).getByText('0 applied').waitFor();

    for (let times = 0; times < 2; times += 1)
      await expect(stage.api('GET', '/api/v1/organizations')).rejects.toThrow('507');

    await dialogOf(page).getByText('2 applied').waitFor();
    const after = await stage.control<{ requests: { status: number }[] }>(
      'GET',
      `/requests?operation=${LIST}`,
    );
    expect(after.requests.map(({ status }) => status)).toEqual([200, 507, 507]);
    await dialogOf(page).getByRole('button', { name: 'Unload it' }).click();
    await dialogOf(page).getByText('The failure is unloaded.').waitFor();
    expect(await stage.api('GET', '/api/v1/organizations')).toHaveProperty('organizations');
  });

  it(
    'offers failures that the service accepts, every one of them, and has no flaw',
    { timeout: 1_200_000 },
    async () => {
      const stage = await setStage();
      const page = await openDashboard(stage, `default/operation/${LIST}`, { bypassCSP: true });
      await page.getByRole('button', { name: OPEN }).click();
      await dialogOf(page).getByLabel('What happens').waitFor();
      const options = dialogOf(page).getByLabel('What happens').getByRole('option');
      await expect.poll(() => options.count()).toBeGreaterThan(10);
      const titles = await options.allTextContents();
      for (const title of titles) {
        await dialogOf(page).getByLabel('What happens').selectOption(title);
        await dialogOf(page).getByRole('button', { name: 'Let it fail' }).click();
        await dialogOf(page).getByText('1 left').waitFor();
        await dialogOf(page).getByRole('button', { name: 'Unload it' }).click();
        await dialogOf(page).getByText('The failure is unloaded.').waitFor();
      }

      const flaws = await flawsOf(page, 'fail the next call');
      await dialogOf(page).getByRole('button', { name: 'Another operation' }).click();
      await dialogOf(page).getByRole('option').first().waitFor();
      expect([...flaws, ...(await flawsOf(page, 'choose an operation'))]).toEqual([]);
    },
  );

  it('stands above scenarios in groups, whose parameters are fields', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/scenarios');
    const group = (name: string) => page.getByRole('region', { name, exact: true });
    await group('Any call').getByText('rate-limit-once', { exact: true }).waitFor();
    await group('What the service sends').getByText('webhook-dropped', { exact: true }).waitFor();
    await group('Tools').getByText('tool-failure', { exact: true }).waitFor();

    const once = group('Any call').locator('li').filter({ hasText: 'Load rate-limit-once…' });
    await once.getByText('Load rate-limit-once…').click();
    await once.getByLabel('operation').fill(LIST);
    await once.getByRole('button', { name: 'Load', exact: true }).click();
    await page.getByRole('region', { name: 'Loaded' }).getByText(`"${LIST}"`).first().waitFor();
  });
});
