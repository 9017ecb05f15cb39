import type { Page } from 'playwright-core';
import type { RelyingParty } from './relying-party.ts';

/** Starts a sign-in at the application, with additional parameters. */
export async function begin(page: Page, { url }: RelyingParty, asked: Record<string, string> = {}) {
  await page.goto(`${url}/login?${new URLSearchParams(asked)}`);
}

/** Types an email address into the sign-in page and presses Enter. */
export async function typeAddress(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.keyboard.press('Enter');
}

/** Signs in as the named user, who belongs to one organization: from the application to the hosted page and back. */
export async function signIn(page: Page, party: RelyingParty, name = 'Ravi Menon'): Promise<void> {
  await begin(page, party);
  await page.getByRole('button', { name }).click();
  await back(page, party);
}

/** Waits until the browser is back at the application. */
export async function back(page: Page, { url }: RelyingParty): Promise<void> {
  await page.waitForURL(`${url}/**`);
}

/** Waits until the page has this heading. */
export const hasHeading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
