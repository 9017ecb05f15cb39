import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { setStage, type Stage } from './support/stage.ts';

const NOW = '2030-01-01T00:00:00Z';
const INVITATION = 'The invitation expires: membership_status becomes INVITE_EXPIRED.';
const MEMBERSHIP = '/state/memberships/mem_10000000000000006';

/** An invitation that expires in 15 days. */
async function invited(): Promise<Stage> {
  const stage = await setStage();
  await stage.control('PUT', '/clock', { mode: 'frozen', at: NOW });
  const user = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';
  await stage.api('PATCH', user, {});
  return stage;
}

describe('the timeline of the clock page', () => {
  it('shows what is due, and advances to it', async () => {
    const stage = await invited();
    const page = await openDashboard(stage, 'default/clock');
    const item = page.getByRole('listitem').filter({ hasText: INVITATION });
    await item.getByText('in 15 days').waitFor();

    await item.getByRole('button', { name: /^Advance to here: The invitation expires/ }).click();

    await page.getByRole('main').getByText('2030-01-16 00:00:00 UTC').waitFor();
    await item.waitFor({ state: 'detached' });
    expect(await stage.control('GET', MEMBERSHIP)).toMatchObject({ membership_status: 'INVITE_EXPIRED' });
  });

  it('shows what expired last, with a link to its row', async () => {
    const stage = await invited();
    const page = await openDashboard(stage, 'default/clock');
    await page.getByText(INVITATION).waitFor();

    await stage.control('POST', '/clock/advance', { by: '15d' });
    const over = page.getByRole('listitem').filter({ hasText: 'The invitation expired.' }).first();
    await over.getByRole('link', { name: 'mem_10000000000000006' }).click();

    await page.getByRole('heading', { level: 1, name: 'lena@nordwind.example' }).waitFor();
  });

  it('shows what a call adds, without a reload', async () => {
    const stage = await setStage();
    await stage.control('PUT', '/clock', { mode: 'frozen', at: NOW });
    const page = await openDashboard(stage, 'default/clock');
    await page.getByRole('heading', { name: 'What is due' }).waitFor();

    await stage.api('PUT', '/api/v1/organizations/org_10000000000000001/portal_links', {});

    await page.getByText('The portal link expires.').waitFor();
  });

  it('reads the list once at a time, however many rows change meanwhile', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/clock');
    await page.getByText('What expired last').waitFor();
    const asked: Route[] = [];
    await page.route('**/clock/timeline**', (route) => void asked.push(route));
    const change = async (name: string) => {
      // The page reads its clock after each change of a row, too.
      const read = page.waitForResponse((response) => response.url().endsWith('/clock'));
      await stage.api('PATCH', '/api/v1/organizations/org_10000000000000001', { display_name: name });
      await read;
    };
    await change('One');
    await expect.poll(() => asked.length).toBe(1);

    for (const name of ['Two', 'Three', 'Four']) await change(name);
    expect(asked.length).toBe(1);
    await asked[0]!.continue();

    await expect.poll(() => asked.length).toBe(2);
    await asked[1]!.continue();
  });

  it('shows markup in labels as text', async () => {
    const stage = await setStage();
    await stage.control('PUT', '/clock', { mode: 'frozen', at: NOW });
    const { rows } = await stage.control<{ rows: { id: string }[] }>('GET', '/state/connected_accounts');
    await stage.control('PATCH', `/state/connected_accounts/${rows[0]!.id}`, {
      identifier: MARKUP,
      status: 'ACTIVE',
      authorization_details: null,
      token_expires_at: 'now+1h',
    });
    const page = await openDashboard(stage, 'default/clock');

    await page.getByText(MARKUP).waitFor();

    await expectNoMarkup(page);
  });
});
