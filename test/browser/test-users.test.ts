/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { back, begin } from './support/pages.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

const NEWCOMER = 'john+sktest@harbour.example';
const KNOWN = 'mara+sktest@contractor.example';
const CODE = '424242';
const CELLS = '[data-scope="pin-input"][data-part="input"]';

/** The simulator as the vendor's guide for end-to-end tests wants the environment: codes by mail, and test users. */
async function setTestUsers(): Promise<Stage> {
  const stage = await setStage();
  await stage.control('PATCH', '/state/connections/conn_10000000000000241', { enabled: true });
  await stage.control('PATCH', '/state/users/usr_10000000000000109', { email: KNOWN });
  await stage.control('PATCH', '/state/settings/settings', { test_users: { emails: [NEWCOMER, KNOWN] } });
  return stage;
}

/** The steps that the guide prints for Playwright: they know nothing but these selectors. */
async function enterAddressAndCode(page: Page, email: string): Promise<void> {
  await page.locator('input[name="email"]').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  const first = page.locator(CELLS).first();
  await first.waitFor();
  await first.click();
  await page.keyboard.type(CODE);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

describe('the tests that the vendor prints for Playwright', () => {
  it('sign a test user up, which makes an organization with its first member', async () => {
    const { party, control } = await setTestUsers();
    const page = await openWindow();

    await begin(page, party, { prompt: 'create' });
    await enterAddressAndCode(page, NEWCOMER);
    await back(page, party);

    const { oid, sub } = party.claims as unknown as { oid: string; sub: string };
    const { rows } = await control<{ rows: object[] }>('GET', '/state/memberships');
    expect(party.claims).toMatchObject({ email: NEWCOMER });
    expect(rows.at(-1)).toMatchObject({ organization_id: oid, user_id: sub, membership_status: 'ACTIVE' });
    expect(await control('GET', '/mail')).toMatchObject({ mails: [] });
  });

  it('sign a test user in', async () => {
    const { party } = await setTestUsers();
    const page = await openWindow();

    await begin(page, party, { prompt: 'login' });
    await enterAddressAndCode(page, KNOWN);
    await back(page, party);

    expect(party.claims).toMatchObject({ email: KNOWN });
  });
});

/** What Cypress does: it chooses buttons by their type and text, and types into the first input. */
it('the selectors for Cypress find the field and the buttons', async () => {
  const { party } = await setTestUsers();
  const page = await openWindow();

  await begin(page, party, { prompt: 'login' });
  await page.locator('input[name="email"]').pressSequentially(KNOWN);
  await page.locator('button[type="submit"]:has-text("Continue")').first().click();
  await page.locator(CELLS).first().click();
  await page.keyboard.type(CODE);
  await page.locator('button[type="submit"]:has-text("Continue")').first().click();
  await back(page, party);

  expect(party.claims).toMatchObject({ email: KNOWN });
});

describe('the code field', () => {
  const atCode = async (options: object = {}) => {
    const { party } = await setTestUsers();
    const page = await openWindow(options);
    await begin(page, party);
    await page.locator('input[name="email"]').fill(KNOWN);
    await page.keyboard.press('Enter');
    return { page, party };
  };
  const shown = (page: Page) =>
    page
      .locator(CELLS)
      .evaluateAll((cells) => cells.map((cell) => (cell as HTMLInputElement).value).join('|'));

  it('has six inputs that take a pasted code, with spaces, and are corrected from the end', async () => {
    const { page, party } = await atCode();
    await page.locator(CELLS).first().waitFor();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', '424 241');
      document.activeElement!.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    });
    const pasted = await shown(page);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    const removed = await shown(page);
    await page.keyboard.type('42');
    await page.keyboard.press('Enter');
    await back(page, party);

    expect(pasted).toBe('4|2|4|2|4|1');
    expect(removed).toBe('4|2|4|2||');
  });

  it('is one field without JavaScript', async () => {
    const { page, party } = await atCode({ javaScriptEnabled: false });

    await page.getByLabel('Code').fill(CODE);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await back(page, party);

    expect(party.claims).toMatchObject({ email: KNOWN });
  });
});
