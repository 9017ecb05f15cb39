import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

const ACME = 'org_10000000000000001';

/** A keyboard that counts what is pressed. */
function keyboardOf(page: Page) {
  let keys = 0;
  return {
    async press(...names: string[]): Promise<void> {
      for (const name of names) await page.keyboard.press(name);
      keys += names.length;
    },
    async type(text: string): Promise<void> {
      await page.keyboard.type(text);
      keys += text.length;
    },
    get keys() {
      return keys;
    },
  };
}

async function failOnce(stage: Stage): Promise<void> {
  await stage.control('POST', '/scenarios', { name: 'rate-limit-once' });
  await expect(stage.api('GET', '/api/v1/users')).rejects.toThrow('429');
  for (let made = 0; made < 20; made += 1) await stage.api('GET', '/api/v1/users');
}

/** Chooses what the palette finds first. */
async function choose(page: Page, keyboard: ReturnType<typeof keyboardOf>, text: string, first: RegExp) {
  const palette = page.getByRole('dialog', { name: 'Find anything' });
  await keyboard.press('Control+K');
  await palette.getByRole('combobox').waitFor();
  await keyboard.type(text);
  await palette.locator('[aria-selected=true]', { hasText: first }).waitFor();
  await keyboard.press('Enter');
}

const nameOfAcme = async ({ control }: Stage) =>
  (await control<{ display_name: string }>('GET', `/state/organizations/${ACME}`)).display_name;

describe('with the keyboard alone, the dashboard', () => {
  it('finds why a call failed', async () => {
    const stage = await setStage();
    await failOnce(stage);
    const page = await openDashboard(stage, 'default/requests');
    await page.getByRole('list', { name: 'Calls' }).getByRole('link').first().waitFor();
    const keyboard = keyboardOf(page);

    await keyboard.press('/');
    await keyboard.type('429');
    await keyboard.press('Enter');
    const call = page.getByRole('list', { name: 'Calls' }).getByRole('link', { name: '429' });
    await expect.poll(() => call.evaluate((each) => each.matches(':focus'))).toBe(true);
    await keyboard.press('Enter');

    await page.getByText('matches; applied 1 of 1 times').waitFor();
    expect(keyboard.keys).toBe(6);
  });

  it('goes from the search to the first entry that it finds, however late the answer is', async () => {
    const stage = await setStage();
    await failOnce(stage);
    const page = await openWindow();
    await page.clock.install();
    await page.goto(`${stage.issuer}/_control/#/default/requests`);
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('link');
    await calls.first().waitFor();
    let [isHeld, held] = [true, [] as Route[]];
    await page.route(/\/requests\?.*contains=429/, (route) =>
      isHeld ? void held.push(route) : route.continue(),
    );

    for (const key of ['/', '4', '2', '9', 'Enter']) await page.keyboard.press(key);
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await page.clock.runFor(30_000);
    isHeld = false;
    for (const route of held) await route.continue();

    const failed = page.getByRole('list', { name: 'Calls' }).getByRole('link', { name: '429' });
    await expect.poll(() => failed.evaluate((each) => each.matches(':focus'))).toBe(true);
  });

  it('lets the next invitation fail', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    const keyboard = keyboardOf(page);
    const dialog = page.getByRole('dialog', { name: 'Fail the next call' });

    await keyboard.press('f');
    await dialog.getByRole('combobox').waitFor();
    await keyboard.type('resend invit');
    await dialog.locator('[aria-selected=true]', { hasText: 'Resend' }).waitFor();
    await keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Let it fail' }).waitFor();
    await keyboard.press('Enter');

    await dialog.getByText('1 left').waitFor();
    const { loaded } = await stage.control<{ loaded: { rules: { on: string }[] }[] }>('GET', '/scenarios');
    expect(loaded[0]!.rules[0]!.on).toBe('UserService_ResendInvite');
    expect(keyboard.keys).toBeLessThan(20);
  });

  it('edits a row and undoes it', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    const keyboard = keyboardOf(page);

    await choose(page, keyboard, 'acme', /organizations/);
    await page.getByLabel('display_name (required)').waitFor();
    await keyboard.press('e');
    await keyboard.type('X');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: `Undo change ${ACME}` }).waitFor();
    expect(await nameOfAcme(stage)).toContain('X');
    await choose(page, keyboard, 'undo', /^Undo change/);

    await page.getByRole('button', { name: `Undo change ${ACME}` }).waitFor({ state: 'detached' });
    expect(await nameOfAcme(stage)).toBe('Acme Corp');
    expect(keyboard.keys).toBeLessThan(20);
  });

  it('compares two environments', async () => {
    const stage = await setStage();
    await stage.control('POST', '/environments', { name: 'other' });
    await stage.api('POST', '/api/v1/organizations', { display_name: 'Delivered Ltd' });
    const page = await openDashboard(stage, 'default/requests');
    const keyboard = keyboardOf(page);

    await choose(page, keyboard, 'comp', /^Compare environments/);

    await page
      .getByText(/rows? removed/)
      .first()
      .waitFor();
    await page.getByText('Delivered Ltd').first().waitFor();
    expect(keyboard.keys).toBeLessThan(10);
  });
});
