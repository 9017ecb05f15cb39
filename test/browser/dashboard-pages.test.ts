import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '@understudy/dashboard/navigation';
import { openPort } from '../support/port.ts';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link');

/** Puts markup into whatever a user of the API may choose. */
async function fillWithMarkup({ control, api }: Stage): Promise<void> {
  for (const [path, row] of [
    ['organizations/org_10000000000000001', { display_name: MARKUP }],
    ['organizations/org_10000000000000002', { display_name: MARKUP }],
    ['clients/skc_1000000000000000001', { name: MARKUP }],
    ['connected_accounts/ca_10000000000000312', { identifier: MARKUP }],
    ['interceptors/icp_10000000000000901', { display_name: MARKUP, trigger_point: 'PRE_USER_INVITATION' }],
  ] as const)
    await control('PATCH', `/state/${path}`, row);
  await control('POST', '/webhooks/endpoints', { kind: 'inbox', description: MARKUP });
  const params = { trigger_point: 'PRE_USER_INVITATION', message: MARKUP };
  await control('POST', '/scenarios', { name: 'interceptor-denies', params });
  const invite = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';
  await expect(api('PATCH', invite, {})).rejects.toThrow('403');
  await control('DELETE', '/scenarios');
  await api('PATCH', invite, {});
  await expect(api('GET', `/api/v1/organizations/${encodeURIComponent(MARKUP)}`)).rejects.toThrow('400');
}

/** A page that shows chosen names shows this part of them, or an option of a list has it. */
const MARKED = ['requests', 'clock', 'sign-ins', 'connected-accounts', 'mail', 'webhooks', 'interceptors'];

describe('every page of the dashboard', () => {
  it('shows markup as text', async () => {
    const stage = await setStage();
    await fillWithMarkup(stage);
    const page = await openDashboard(stage, 'default/requests');

    for (const [name, title] of ENTRIES) {
      await navigation(page).filter({ hasText: title }).click();
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      if (MARKED.includes(name))
        await page
          .getByText(/onerror/)
          .first()
          .waitFor({ state: 'attached' });
      await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true");
      await expectNoMarkup(page);
    }
  });

  it('works with a control token, which "Sign out" forgets', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/`);
    await page.getByLabel('Token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 401 && refused.push(response.url()));

    for (const [, title] of ENTRIES) {
      await navigation(page).filter({ hasText: title }).click();
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      expect(await page.getByRole('alert').allTextContents(), title).toEqual([]);
    }

    expect(refused).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Control token' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});

describe('a server that stops', () => {
  it('is shown as such, and the page goes on by itself when it is back', async () => {
    const first = await openPort();
    const page = await openWindow({ complains: true });
    await page.goto(`http://localhost:${first.port}/_control/`);
    await page.getByText('Live', { exact: true }).waitFor();

    await first.stop(0);
    await page.getByText('Understudy does not answer. Trying again…').waitFor();
    await openPort({ port: first.port });

    await page.getByText('Live', { exact: true }).waitFor();
  });
});

describe('a copy button', () => {
  it('selects the text where the browser has no clipboard for the page', async () => {
    const stage = await setStage();
    const page = await openWindow();
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.goto(`${stage.issuer}/_control/#/default/environments`);

    await page.getByRole('button', { name: 'Copy variables' }).click();

    const text = page.getByLabel('Text to copy');
    await text.waitFor();
    expect(await page.evaluate('getSelection().toString()')).toContain('SCALEKIT_CLIENT_ID=skc_');
    await page.keyboard.press('Escape');
    await text.waitFor({ state: 'detached' });
  });
});
