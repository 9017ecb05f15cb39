import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

const LIST = '#/operations/OrganizationService_ListOrganization';

async function openReference({ issuer }: Stage, asked = '', operation = LIST): Promise<Page> {
  const page = await openWindow();
  await page.goto(`${issuer}/_control/reference${asked}${operation}`);
  return page;
}

/** Sends the request of the operation that is shown, and resolves to what was sent and answered. */
async function tryIt(page: Page) {
  const answered = page.waitForResponse((response) => response.url().includes('/api/v1/'));
  await page.getByRole('button', { name: 'Send API Request' }).click();
  const response = await answered;
  return { status: response.status(), body: (await response.json()) as Record<string, unknown> };
}

interface JournalLine {
  operation: string;
  environment: string;
}

describe('the API reference', () => {
  it('calls the environment that is chosen, with a token that is already filled in', async () => {
    const stage = await setStage();
    await stage.control('POST', '/environments', { name: 'blue' });
    const page = await openDashboard(stage, 'default/requests');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'API reference' })
      .click();
    await page.getByText('has a token of the environment default').waitFor();
    await page.getByLabel('Environment').selectOption('blue');
    await page.getByText('has a token of the environment blue').waitFor();
    await page.goto(page.url().replace(/#.*/, '') + LIST);
    await page.getByRole('heading', { level: 1, name: 'List organizations' }).waitFor();

    const { status, body } = await tryIt(page);

    expect(status).toBe(200);
    expect(body['organizations']).not.toHaveLength(0);
    const { requests } = await stage.control<{ requests: JournalLine[] }>(
      'GET',
      '/environments/blue/requests',
    );
    expect(requests.at(-1)).toMatchObject({ operation: 'OrganizationService_ListOrganization' });
  });

  it('shows the control API, asks for its token where the server wants one, and keeps it in this tab', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openReference(stage, '?document=control', '#/operations/Control_GetClock');
    await page.getByLabel('Control token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();

    await page.getByText('/_control/v1/clock').first().waitFor();
    await page.getByRole('button', { name: 'Send API Request' }).click();
    await page.getByText('200 OK').waitFor();

    const other = await page.context().newPage();
    await other.goto(`${stage.issuer}/_control/docs/`);
    expect(await other.evaluate('localStorage.length')).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('says that an environment is not there, and shows markup as text', async () => {
    const stage = await setStage();
    const page = await openReference(stage, '?environment=nowhere');
    await page.getByRole('status').getByText('nowhere').waitFor();

    await page.goto(`${stage.issuer}/_control/reference?environment=<b>bold</b>`);
    await page.getByRole('option', { name: '<b>bold</b>' }).waitFor({ state: 'attached' });

    expect(await page.locator('b').count()).toBe(0);
  });
});
