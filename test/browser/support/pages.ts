import type { Page } from 'playwright-core';
import type { RelyingParty } from './relying-party.ts';

/** Signs in at the hosted page, from the application and back to it. */
export async function signIn(page: Page, party: RelyingParty, email: string): Promise<void> {
  await page.goto(`${party.url}/login`);
  await page.getByLabel('E-mail address').fill(email);
  await page.keyboard.press('Enter');
  await back(page, party);
}

/** Waits until the browser is at the application again. */
export async function back(page: Page, { url }: RelyingParty): Promise<void> {
  await page.waitForURL(`${url}/**`);
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
