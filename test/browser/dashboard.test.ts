import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { openWindow, setStage } from './support/stage.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** Goes to a page by its entry in the navigation. */
async function visit(page: Page, entry: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: entry }).click();
  await heading(page, entry).waitFor();
}

describe('the dashboard', () => {
  it('is where the front page leads to', async () => {
    const stage = await setStage();
    const page = await openWindow();
    await page.goto(stage.issuer);

    await page.getByRole('link', { name: 'Requests' }).click();

    await heading(page, 'Requests').waitFor();
  });

  it('shows a call as it comes, and why it was answered so', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    await visit(page, 'Scenarios');
    await page.getByText('Load rate-limit-once…').click();
    await page.getByRole('button', { name: 'Load', exact: true }).first().click();
    await page.getByRole('heading', { level: 3, name: 'rate-limit-once' }).waitFor();
    await visit(page, 'Requests');

    await expect(stage.api('GET', '/api/v1/organizations')).rejects.toThrow('429');
    await page.getByRole('link', { name: 'OrganizationService_ListOrganization' }).click();

    await heading(page, 'OrganizationService_ListOrganization').waitFor();
    await page.getByText('matches; applied 1 of 1 times').waitFor();
    await visit(page, 'Scenarios');
    await page.getByText('1 applied', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Unload rate-limit-once' }).click();
    await page
      .getByText('No scenario is loaded: every call is answered from the state of the environment.')
      .waitFor();
  });

  it('finds calls by their text and status, stands still while it is paused, and forgets them', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    await page.getByRole('button', { name: 'Clear…' }).click();
    await page.getByRole('button', { name: 'Delete the calls' }).click();
    await page.getByText('No calls yet.').waitFor();
    await stage.api('GET', '/api/v1/users');
    await expect(stage.api('GET', '/api/v1/organizations/org_404')).rejects.toThrow('404');
    const listed = page.getByRole('list', { name: 'Calls' }).getByRole('link');
    await page.getByText('4 calls', { exact: true }).waitFor();

    await page.getByRole('searchbox').fill('org_404 GetOrganization');
    await page.getByText('1 of 4 calls', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('4 calls', { exact: true }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('4xx');
    await page.getByText('1 of 4 calls', { exact: true }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('');
    await page.getByText('4 calls', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await stage.api('GET', '/api/v1/users');
    await page.getByRole('button', { name: 'Resume (2 new)' }).waitFor();
    expect(await listed.count()).toBe(4);
    await page.getByRole('button', { name: 'Resume (2 new)' }).click();
    await page.getByText('6 calls', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Clear…' }).click();
    await page.getByRole('button', { name: 'Delete the calls' }).click();
    await page.getByText('No calls yet.').waitFor();
  });

  it('sends a call again, and copies it without headers of the browser that sent it', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    await stage.api('POST', '/api/v1/organizations', { display_name: 'Twice Ltd' });
    await page.getByRole('link', { name: 'OrganizationService_CreateOrganization' }).click();
    const first = page.url();

    await page.getByRole('button', { name: 'Send again…' }).click();
    await page.getByRole('button', { name: 'Send it', exact: true }).click();
    await page.waitForURL((url) => url.href !== first);
    await page.locator('.facts').getByText('201', { exact: true }).waitFor();
    const { organizations } = await stage.api<{ organizations: { display_name: string }[] }>(
      'GET',
      '/api/v1/organizations?page_size=30',
    );
    expect(organizations.filter(({ display_name }) => display_name === 'Twice Ltd')).toHaveLength(2);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(command).toContain('curl -X POST');
    expect(command).not.toMatch(/sec-fetch|user-agent|accept-language/);
  });

  it('moves the clock', async () => {
    const stage = await setStage();
    await stage.control('PUT', '/clock', { mode: 'frozen', at: '2030-01-01T00:00:00Z' });
    const page = await openDashboard(stage, 'default/clock');
    const main = page.getByRole('main');
    await main.getByText('2030-01-01 00:00:00 UTC').waitFor();

    await page.getByRole('button', { name: 'Advance 1 day' }).click();
    await main.getByText('2030-01-02 00:00:00 UTC').waitFor();
    await page.getByLabel('Advance by').fill('soon');
    await page.getByRole('button', { name: 'Advance', exact: true }).click();

    expect(await page.getByRole('alert').textContent()).toMatch(/^Advance by: value must be/);
    expect(await stage.control('GET', '/clock')).toMatchObject({ now: '2030-01-02T00:00:00.000Z' });
    await page.getByLabel('Set the clock to').fill('tomorrow');
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^Set the clock to: value must be/ })
      .waitFor();
    await page.getByLabel('Set the clock to').fill('2031-01-01T00:00:00Z');
    await page.getByRole('button', { name: 'Let it run' }).click();
    await main.getByText('runs, away from the time of the machine').waitFor();
    await main.getByText(/^2031-01-01/).waitFor();
  });

  it('changes a row, and shows the complaint about one that is wrong', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/state/organizations');
    await page.getByRole('link', { name: 'Acme Corp' }).click();
    await heading(page, 'Acme Corp').waitFor();
    const json = page.getByLabel('JSON');
    const row = JSON.parse(await json.inputValue()) as Record<string, unknown>;

    await json.fill(JSON.stringify({ ...row, display_name: 5 }));
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('display_name');

    await json.fill(JSON.stringify({ ...row, display_name: 'Acme Two' }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    const saved = await stage.control('GET', '/state/organizations/org_10000000000000001');
    expect(saved).toMatchObject({ display_name: 'Acme Two' });
  });

  it('shows a mail as it comes, with its code or link', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/mail');
    await page.getByText('No mail yet.').waitFor();

    const invited = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';
    await stage.api('PATCH', invited, {});
    await page.getByRole('link', { name: 'Nordwind' }).click();

    await page.getByRole('link', { name: 'Open the link' }).waitFor();
  });

  it('adds an inbox and shows what is delivered to it', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/webhooks');
    await page.getByRole('button', { name: 'Add an inbox' }).click();
    await page.getByText('every event').waitFor();

    await stage.api('POST', '/api/v1/organizations', { display_name: 'Delivered Ltd' });

    await page.locator('summary', { hasText: 'organization.created' }).click();
    await page.getByText('1 attempt').waitFor();
  });

  it('makes, forks and drops an environment, and every page follows the one that is chosen', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/environments');
    await page.getByLabel('Name', { exact: true }).fill('demo-1');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.waitForURL(/#\/demo-1\/environments/);
    await page.getByRole('button', { name: 'Fork demo-1' }).click();
    await page.waitForURL(/#\/(?!demo-1)[\w-]+\/environments/);

    await page.getByLabel('Environment', { exact: true }).selectOption('demo-1');
    await page.getByRole('heading', { name: 'Reset demo-1' }).waitFor();
    const [fork, drop] = [/^Fork demo-1$/, /^Drop demo-1…$/].map((name) =>
      page.getByRole('button', { name }),
    );
    expect((await drop!.boundingBox())!.y).toBe((await fork!.boundingBox())!.y);
    await page.getByRole('button', { name: 'Drop demo-1…' }).click();
    await page.getByText('Calls to demo-1 that have no answer yet get an error.').waitFor();
    await page.getByRole('button', { name: 'Drop demo-1', exact: true }).click();

    await page.waitForURL(/#\/default\/environments/);
    await page.getByRole('link', { name: 'demo-1' }).waitFor({ state: 'detached' });
  });

  it('deletes a snapshot after a question', async () => {
    const stage = await setStage();
    await stage.control('POST', '/snapshots', { name: 'before' });
    const page = await openDashboard(stage, 'default/environments');

    await page.getByRole('button', { name: 'Delete before…' }).click();
    await page.getByText('Delete the snapshot before?').waitFor();
    await page.getByRole('button', { name: 'Delete before', exact: true }).click();

    await page.getByRole('button', { name: 'Restore before…' }).waitFor({ state: 'detached' });
    expect(await stage.control('GET', '/snapshots')).toEqual({ snapshots: [] });
  });

  it('goes back to a snapshot', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/environments');
    await page.getByLabel('Take a snapshot').fill('before');
    await page.getByRole('button', { name: 'Take', exact: true }).click();
    await page.getByRole('button', { name: 'Restore before…' }).waitFor();
    await stage.control('DELETE', '/state/organizations/org_10000000000000001');

    await page.getByRole('button', { name: 'Restore before…' }).click();
    await page.getByText('Put default back to before?').waitFor();
    await page.getByRole('button', { name: 'Restore before', exact: true }).click();

    await visit(page, 'State');
    await page.getByRole('link', { name: /^organizations/ }).click();
    await page.getByRole('link', { name: 'Acme Corp' }).waitFor();
  });

  it('shows markup of rows, bodies and mails as text', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/state/organizations');
    await stage.api('POST', '/api/v1/organizations', { display_name: MARKUP });
    await page.getByText(MARKUP).waitFor();
    await visit(page, 'Requests');
    await page.getByRole('link', { name: 'OrganizationService_CreateOrganization' }).click();
    await page.getByLabel('Request body').getByText('onerror').waitFor();

    await expectNoMarkup(page);
  });

  it('asks for the control token where the server wants one, and sends it from this tab', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/`);
    await page.getByLabel('Token').fill('guess');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('The server does not accept this token.', { exact: false }).waitFor();

    await page.getByLabel('Token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();

    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it('says which environment is not there', async () => {
    const stage = await setStage();
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/#/nowhere/clock`);

    await heading(page, 'There is no environment nowhere').waitFor();
  });
});
