import { describe, expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { flawsOf } from './support/looks.ts';
import { setStage } from './support/stage.ts';

describe('the keys of the dashboard', () => {
  it('find pages, rows, operations, scenarios and docs, and fail the next invitation', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests', { bypassCSP: true });
    const palette = page.getByRole('dialog', { name: 'Find anything' });
    const find = async (text: string, title: RegExp) => {
      await page.keyboard.press('Control+K');
      await palette.getByRole('combobox').fill(text);
      await palette.getByRole('option', { name: title }).first().waitFor();
    };

    await find('Acme', /Acme.*organizations/s);
    await palette
      .getByRole('option', { name: /Acme.*organizations/s })
      .first()
      .click();
    await page.waitForURL(/row\/organizations\/org_/);
    await find('rate-limit-once', /^rate-limit-once/);
    await palette.getByRole('combobox').fill('passkeys docs');
    await palette.getByRole('combobox').fill('passkeys');
    await palette.getByRole('option', { name: /docs$/ }).first().waitFor();
    await palette.getByRole('combobox').fill('coverage');
    await palette
      .getByRole('option', { name: /^Coverage/ })
      .first()
      .waitFor();
    expect(await flawsOf(page, 'palette')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/default\/coverage$/);

    await find('fail invite', /^Fail the next call: /);
    const create = palette.getByRole('option', {
      name: /Fail the next call: Create a user in an organization/,
    });
    await create.waitFor();
    await palette.getByRole('combobox').fill('fail create user in an organization');
    await palette.getByRole('option').first().getByText('Create a user in an organization').waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'Fail the next call' })
      .getByText('UserService_CreateUser')
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 left').waitFor();
    const { loaded } = await stage.control<{ loaded: { rules: { on: string }[] }[] }>('GET', '/scenarios');
    expect(loaded[0]!.rules[0]!.on).toBe('UserService_CreateUserAndMembership');
  });

  it('close what is on top of the page: Escape also with a text, and another page', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/mail');
    const palette = page.getByRole('dialog', { name: 'Find anything' });
    await page.keyboard.press('Control+K');
    await palette.getByRole('combobox').fill('acme');
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+K');
    await palette.waitFor();

    await page.evaluate("location.hash = '#/default/state/organizations/org_10000000000000001'");

    await page.getByRole('heading', { level: 1, name: 'Acme Corp' }).waitFor();
    await palette.waitFor({ state: 'detached' });
  });

  it('move through calls, and from one call to the next, and show a help', async () => {
    const stage = await setStage();
    for (const name of ['One', 'Two', 'Three'])
      await stage.api('POST', '/api/v1/organizations', { display_name: name });
    const page = await openDashboard(stage, 'default/requests?operation=CreateOrganization');
    await page.getByRole('list', { name: 'Calls' }).getByRole('link').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('"Two"').first().waitFor();
    await page.keyboard.press('j');
    await page.getByText('"One"').first().waitFor();
    await page.keyboard.press('j');
    await page.getByText('This is the first call.').waitFor();
    await page.keyboard.press('k');
    await page.getByText('"Two"').first().waitFor();
    await page.keyboard.press('k');
    await page.getByText('"Three"').first().waitFor();

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Ctrl+K').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.goto(`${stage.issuer}/_control/#/default/reference`);
    await page.getByRole('searchbox', { name: 'Find operations' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('invite');
    await page.waitForURL(/reference\?find=invite$/);
  });

  it('leave the clock of the environment in sight, with its mode', async () => {
    const stage = await setStage();
    await stage.control('PUT', '/clock', { mode: 'frozen', at: '2030-01-01T00:00:00Z' });
    const page = await openDashboard(stage, 'default/mail');
    const clock = page.getByRole('banner').getByRole('link', { name: /UTC/ });
    await clock.getByText('2030-01-01 00:00:00 UTC').waitFor();
    await clock.getByText('stopped').waitFor();
    await stage.control('POST', '/clock/advance', { by: '25h' });
    await clock.getByText('2030-01-02 01:00:00 UTC').waitFor();
  });
});
