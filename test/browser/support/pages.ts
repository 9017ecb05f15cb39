import type { Page } from 'playwright-core';
import type { RelyingParty } from './relying-party.ts';

/** Begins to sign in at the application, with parameters of its own. */
export async function begin(page: Page, { url }: RelyingParty, asked: Record<string, string> = {}) {
  await page.goto(`${url}/login?${new URLSearchParams(asked)}`);
}

/** Types an address into the sign-in page, by the keyboard alone. */
export async function typeAddress(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.keyboard.press('Enter');
}

/** From the application to the hosted page, as a user that is picked there, and back; into Acme Corp where it is asked. */
export async function signIn(page: Page, party: RelyingParty, name = 'Ravi Menon'): Promise<void> {
  await begin(page, party);
  await page.getByRole('button', { name }).click();
  if (await page.getByRole('heading', { name: 'Choose an organization' }).isVisible())
    await page.getByRole('button', { name: 'Acme Corp' }).click();
  await back(page, party);
}

/** Waits until the browser is at the application again. */
export async function back(page: Page, { url }: RelyingParty): Promise<void> {
  await page.waitForURL(`${url}/**`);
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
