import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { setStage, type Stage } from './support/stage.ts';

const PAGE = 'default/connected-accounts';
const ACCOUNT = 'ca_10000000000000312';

const account = (page: Page, identifier = 'quarry-inbox') =>
  page.getByRole('article', { name: new RegExp(`^${identifier} at`) });

const rowOf = (stage: Stage) => stage.control('GET', `/state/connected_accounts/${ACCOUNT}`);

/** Waits until the account has a status. */
const hasStatus = (page: Page, status: string) => account(page).getByText(status, { exact: true }).waitFor();

const press = (page: Page, name: string) => account(page).getByRole('button', { name }).click();

/** What an application does before it calls the third party. */
const use = (stage: Stage) =>
  stage.api<{ connected_account: { status: string } }>(
    'GET',
    `/api/v1/connected_accounts/auth?id=${ACCOUNT}`,
  );

describe('the page of connected accounts', () => {
  it('expires an access token, which the next use renews', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await account(page)
      .getByText(/access token expires in/)
      .waitFor();

    await press(page, 'Expire now');
    await account(page)
      .getByText(/access token expired/)
      .waitFor();
    expect((await use(stage)).connected_account.status).toBe('ACTIVE');

    await account(page)
      .getByText(/access token expires in/)
      .waitFor();
  });

  it('breaks the next refresh, and authorizes the account again', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);

    await press(page, 'Break the refresh');
    await account(page).getByText('the next refresh fails').waitFor();
    expect((await use(stage)).connected_account.status).toBe('EXPIRED');
    await hasStatus(page, 'EXPIRED');
    await press(page, 'Authorize');

    await hasStatus(page, 'ACTIVE');
    await account(page).getByText('the next refresh fails').waitFor({ state: 'detached' });
    expect(await rowOf(stage)).not.toHaveProperty('refresh_fails');
  });

  it('revokes the credentials, and opens the link with which the user authorizes the account', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await press(page, 'Revoke');
    await hasStatus(page, 'DISCONNECTED');
    const opened = page.waitForEvent('popup');
    await press(page, 'Open the link');
    const link = await opened;
    await link
      .getByRole('button', { name: /Allow|access/i })
      .first()
      .click();

    await hasStatus(page, 'ACTIVE');
    await press(page, `Delete ${ACCOUNT}…`);
    await account(page).getByText('Delete the account quarry-inbox with its credentials?').waitFor();
    await press(page, 'Keep it');
    await hasStatus(page, 'ACTIVE');
    await press(page, `Delete ${ACCOUNT}…`);
    await press(page, `Delete ${ACCOUNT}`);
    await account(page).waitFor({ state: 'detached' });
  });

  it('shows to whom an account belongs, and its id', async () => {
    const stage = await setStage();
    const owner = { organization_id: 'org_10000000000000001', user_id: 'usr_10000000000000101' };
    await stage.control('PATCH', `/state/connected_accounts/${ACCOUNT}`, owner);
    const page = await openDashboard(stage, PAGE);

    await account(page).getByText(`${ACCOUNT} · ${owner.organization_id} · ${owner.user_id}`).waitFor();
  });

  it('finds accounts, and shows markup in their names as text', async () => {
    const stage = await setStage();
    await stage.control('PATCH', `/state/connected_accounts/${ACCOUNT}`, { identifier: MARKUP });
    const page = await openDashboard(stage, PAGE);

    await page.getByRole('searchbox').fill('onerror');
    await page.getByRole('link', { name: MARKUP }).waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    await expectNoMarkup(page);
    await page.getByRole('searchbox').fill('no such account');

    await page.getByText('No connected account has this text.').waitFor();
    await stage.control('PUT', '/state', { include: ['empty'] });
    await page.getByText('No connected account yet.').waitFor();
  });
});
