import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../src/dashboard/navigation.ts';
import { openPort } from '../support/port.ts';
import { openWindow, setStage } from './support/stage.ts';

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link');

describe('every page of the dashboard', () => {
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

  it('saves the files of the server where it wants a control token', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/#/default/environments`);
    await page.getByLabel('Token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();

    for (const [name, file] of [
      ['Save the CA certificate', 'understudy-ca.pem'],
      ['Save the API document', 'openapi.json'],
      ['Save the control API document', 'control-openapi.json'],
    ] as const) {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      expect((await saved).suggestedFilename()).toBe(file);
    }
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
