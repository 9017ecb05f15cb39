import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { openWindow, setStage } from './support/stage.ts';

const PAGE = 'default/scenarios';
/** High enough that the first scenario needs no scrolling. */
const HEIGHT = 1000;
const FIRST = 'client-forgotten';

const entry = (page: Page, name: string) =>
  page.locator('li.loadable', { has: page.getByText(name, { exact: true }) });

const isLoaded = (page: Page, name: string) => page.getByRole('heading', { level: 3, name }).waitFor();

const topOf = async (element: Locator) => (await element.boundingBox())!.y;

describe('loading a scenario in the dashboard', () => {
  it('says beside the button that the scenario is loaded, and leads to it', async () => {
    const page = await openDashboard(await setStage(), PAGE);
    const wanted = entry(page, 'rate-limit-once');
    await wanted.getByText('Load rate-limit-once…').click();
    await wanted.getByRole('button', { name: 'Load', exact: true }).click();

    await wanted.getByRole('status').getByText('Loaded in default.').waitFor();
    await wanted.getByRole('link', { name: 'Show it' }).click();

    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('loaded');
    await page.getByRole('button', { name: 'Unload rate-limit-once' }).click();
    await wanted.getByText('Loaded in default.').waitFor({ state: 'detached' });
  });

  it.each([0, 300])('leaves the list where it is: scrolled by %i pixels', async (scrolled) => {
    const page = await openDashboard(await setStage(), PAGE, { viewport: { width: 1280, height: HEIGHT } });
    const wanted = entry(page, FIRST);
    await wanted.getByText(`Load ${FIRST}…`).click();
    const button = wanted.getByRole('button', { name: 'Load', exact: true });
    await page.evaluate(`scrollTo(0, ${scrolled})`);
    await button.scrollIntoViewIfNeeded();
    const before = await topOf(button);

    await button.click();
    await isLoaded(page, FIRST);

    expect(Math.abs((await topOf(button)) - before)).toBeLessThan(2);
    await wanted.getByText('Loaded in default.').waitFor();
  });

  it('says plainly which operation was probably meant', async () => {
    const page = await openDashboard(await setStage(), PAGE);
    const wanted = entry(page, 'internal-error');
    await wanted.getByText('Load internal-error…').click();
    await wanted.getByLabel('operation').fill('CreateOrganisation');

    await wanted.getByRole('button', { name: 'Load', exact: true }).click();

    const said =
      'params.operation: unknown operation CreateOrganisation; did you mean OrganizationService_CreateOrganization?';
    await wanted.getByRole('alert').getByText(said, { exact: true }).waitFor();
  });
});

it('the list of scenarios is read again at once, however slow an earlier read was', async () => {
  const stage = await setStage();
  const page = await openWindow();
  await page.clock.install();
  let reads = 0;
  await page.route(/\/scenarios(\?|$)/, async (route) => {
    reads += 1;
    if (reads === 1) await page.clock.runFor(3000);
    await route.continue();
  });
  await page.goto(`${stage.issuer}/_control/#/default/clock`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Scenarios' }).click();
  await page.getByText('No scenario is loaded').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);

  await stage.control('POST', '/scenarios', { name: 'rate-limit-once' });

  // Four seconds of the page at most, however long its machine takes for them.
  const shown = page.getByRole('region', { name: 'Loaded' }).getByText('rate-limit-once');
  const run = async () => {
    await page.clock.runFor(20);
    return shown.count();
  };
  await expect.poll(run, { timeout: 60_000, interval: 300 }).toBeGreaterThan(0);
});
