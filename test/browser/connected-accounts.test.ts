import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasHeading } from './support/pages.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';
import { FRESHDESK, NOTION } from '../support/fixture-ids.ts';

const ACCOUNTS = '/api/v1/connected_accounts';

const linkTo = async ({ api, party }: Stage, id: string) => {
  const wanted = { id, user_verify_url: `${party.url}/home`, state: 's1' };
  return (await api<{ link: string }>('POST', `${ACCOUNTS}/magic_link`, wanted)).link;
};

const account = async ({ control }: Stage, id: string) =>
  control<{ status: string; authorization_details?: unknown }>('GET', `/state/connected_accounts/${id}`);

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('the magic link of a connected account', () => {
  it('asks for consent, and the application verifies the user', async () => {
    const stage = await setStage();
    const page = await openWindow({ javaScriptEnabled: false });

    await page.goto(await linkTo(stage, NOTION));
    await hasHeading(page, 'Allow access to Notion?');
    await press(page, 'Allow');
    await page.waitForURL(`${stage.party.url}/home?**`);

    const { searchParams } = new URL(page.url());
    expect(searchParams.get('state')).toBe('s1');
    expect((await account(stage, NOTION)).status).toBe('PENDING_VERIFICATION');
    const auth_request_id = searchParams.get('auth_request_id');
    const verify = (identifier: string) =>
      stage.api('POST', `${ACCOUNTS}/user/verify`, { auth_request_id, identifier });
    await expect(verify('ravi@acme.example')).rejects.toThrow('403');
    await verify('ada@acme.example');
    expect((await account(stage, NOTION)).status).toBe('ACTIVE');
  });

  it('accepts a refusal, which leaves the account unchanged', async () => {
    const stage = await setStage();
    const page = await openWindow();

    await page.goto(await linkTo(stage, NOTION));
    await press(page, 'Deny');
    await page.getByRole('button', { name: 'Deny' }).waitFor({ state: 'detached' });

    expect((await account(stage, NOTION)).status).not.toBe('ACTIVE');
    expect(await account(stage, NOTION)).not.toHaveProperty('authorization_details');
  });

  it('asks for credentials when the connector has static authentication', async () => {
    const stage = await setStage();
    await stage.control('PATCH', '/state/settings/settings', { user_verification: 'off' });
    const page = await openWindow();

    await page.goto(await linkTo(stage, FRESHDESK));
    await page.getByLabel('Domain').fill('nordwind.freshdesk.com');
    await page.getByLabel('Username').fill('test_new_user');
    await page.getByLabel('Password').fill('test_new_password');
    await press(page, 'Connect');
    await page.getByRole('button', { name: 'Connect' }).waitFor({ state: 'detached' });

    expect(await account(stage, FRESHDESK)).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { static_auth: { details: { username: 'test_new_user' } } },
    });
  });

  it('expires after a minute of the clock, and after its use', async () => {
    const stage = await setStage();
    const page = await openWindow();
    const late = await linkTo(stage, NOTION);
    const used = await linkTo(stage, NOTION);

    await page.goto(used);
    await press(page, 'Allow');
    await page.waitForURL(`${stage.party.url}/home?**`);
    const again = await page.goto(used);
    await stage.control('POST', '/clock/advance', { by: '61s' });
    const expired = await page.goto(late);

    expect([again?.status(), expired?.status()]).toEqual([410, 410]);
    await hasHeading(page, 'This link is no longer valid');
    expect((await page.goto(`${late.slice(0, -6)}wrong_`))?.status()).toBe(404);
  });
});
