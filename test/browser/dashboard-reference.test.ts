import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

const ACME = 'org_10000000000000001';
const CREATE_USER = 'UserService_CreateUserAndMembership';

const card = (page: Page, name: string) => page.locator('main').getByRole('region', { name, exact: true });

interface JournalLine {
  id: string;
  operation: string;
  environment: string;
  status: number;
}

const callsOf = async ({ control }: Stage, environment: string) =>
  (await control<{ requests: JournalLine[] }>('GET', `/environments/${environment}/requests`)).requests;

describe('the API reference', () => {
  it('finds operations by plain words, paths and fields, and needs at most 300 KB for it', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'API reference' })
      .click();
    const find = page.getByRole('searchbox', { name: 'Find operations' });
    const names = page.locator('main .operations a');

    await find.fill('invite');
    await page.getByRole('status').getByText('with “invite”').waitFor();
    const invite = await names.allTextContents();
    expect(invite).toContain('Create a user in an organization');
    expect(invite).toContain('Add a user to an organization');
    await find.fill('/sessions revoke');
    await page.getByRole('status').getByText('with “/sessions revoke”').waitFor();
    expect((await names.allTextContents())[0]).toMatch(/session/i);
    await find.fill('max_allowed_users');
    await page.getByRole('status').getByText('with “max_allowed_users”').waitFor();
    expect(await names.count()).toBeGreaterThan(0);

    await names.first().click();
    await card(page, 'Try it').waitFor();
    const sizes = await page.evaluate<number[]>(
      "performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => name.includes('/_control/v1/') ? 0 : encodedBodySize)",
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
  });

  it('shows what an operation takes, answers and rests on, with schemas that hold themselves', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/operation/${CREATE_USER}`);
    await page.getByRole('heading', { level: 1, name: 'Create a user in an organization' }).waitFor();

    await card(page, 'Parameters').getByText('organization_id').waitFor();
    await card(page, 'Body of the request').getByText('membership', { exact: true }).click();
    await card(page, 'Body of the request').getByText('roles', { exact: true }).waitFor();
    await card(page, 'Errors').getByText('409').waitFor();
    await card(page, 'Evidence').getByText('users/organization-is-full').waitFor();
    await card(page, 'Body of the request').getByRole('link', { name: 'CreateUser' }).click();
    await page.getByRole('heading', { level: 1, name: 'CreateUser' }).waitFor();
    await card(page, 'Fields').getByText('email', { exact: true }).waitFor();
  });

  it('has examples of the official SDKs where their methods are known, and of HTTP elsewhere', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/operation/UserService_ResendInvite');
    const examples = card(page, 'Examples');
    const inLanguage = async (language: string) => {
      await examples.getByRole('button', { name: language, exact: true }).click();
      return examples.getByRole('region', { name: `Example in ${language}` }).textContent();
    };
    await page.getByLabel('organization_id (required)').fill(ACME);
    await page.getByLabel('id (required)', { exact: true }).fill('usr_1');

    expect(await inLanguage('Node')).toContain(`client.user.resendInvite('${ACME}', 'usr_1')`);
    expect(await inLanguage('Python')).toContain(`client.users.resend_invite("${ACME}", "usr_1")`);
    expect(await inLanguage('Go')).toContain('http.NewRequest("PATCH"');
    await examples.getByText('scalekit.v1.users.UserService/ResendInvite').waitFor();
    expect(await inLanguage('Java')).toContain('.method("PATCH"');
    const curl = await inLanguage('curl');
    expect(curl).toContain(`/api/v1/invites/organizations/${ACME}/users/usr_1/resend`);
    expect(curl).toContain('npx understudy-server token');
  });

  it('calls the environment with a token of its own, and leads to the call in the journal', async () => {
    const stage = await setStage();
    await stage.control('POST', '/environments', { name: 'blue' });
    const page = await openDashboard(stage, `default/operation/${CREATE_USER}`);
    await page.getByLabel('Environment').selectOption('blue');
    await page.waitForURL(new RegExp(`#/blue/operation/${CREATE_USER}$`));
    const form = card(page, 'Try it');
    await expect.poll(() => form.getByLabel('organization_id (required)').inputValue()).toMatch(/^org_/);

    await form.getByRole('button', { name: 'Send the call' }).click();
    await form.getByText('201', { exact: true }).waitFor();

    const latest = (await callsOf(stage, 'blue')).at(-1)!;
    expect(latest).toMatchObject({ operation: CREATE_USER, environment: 'blue', status: 201 });
    await card(page, 'Its calls').getByText('user.organization_invitation').waitFor();
    await form.getByRole('link', { name: `Why this answer (${latest.id})` }).click();
    await page.getByRole('heading', { level: 1, name: CREATE_USER }).waitFor();
  });

  it('loads a scenario for the operation, and shows that its rule applies', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/operation/OrganizationService_ListOrganization`);
    await card(page, 'Scenarios').getByRole('button', { name: 'Load internal-error' }).click();
    await card(page, 'Scenarios').getByText('0 applied').waitFor();

    await card(page, 'Try it').getByRole('button', { name: 'Send the call' }).click();

    await card(page, 'Try it').getByText('500', { exact: true }).waitFor();
    await card(page, 'Scenarios').getByText('1 applied').waitFor();
    await card(page, 'Its calls').getByText('Which of its statuses were seen').click();
    await card(page, 'Its calls').getByText('500: 1 ×').waitFor();
  });

  it('calls the control API with the token of the server, which stays in this tab', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/#/default/operation/Control_GetClock`);
    await page.getByLabel('Token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();

    await card(page, 'Try it').getByRole('button', { name: 'Send the call' }).click();
    await card(page, 'Try it').getByText('"mode"').waitFor();

    const other = await page.context().newPage();
    await other.goto(`${stage.issuer}/_control/docs/`);
    expect(await other.evaluate('localStorage.length')).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('is found at its former addresses, and shows markup in them as text', async () => {
    const stage = await setStage();
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/reference?document=control#/operations/Control_AdvanceClock`);
    await page.getByRole('heading', { level: 1, name: 'Advance the clock' }).waitFor();
    expect(page.url()).toBe(`${stage.issuer}/_control/#/default/operation/Control_AdvanceClock`);

    await page.goto(`${stage.issuer}/_control/reference#/schemas/Organization`);
    await page.getByRole('heading', { level: 1, name: 'Organization' }).waitFor();
    await page.goto(`${stage.issuer}/_control/reference?environment=default#/operations/<b>bold<b>`);
    await page.getByText('The contract has no operation <b>bold<b>.').waitFor();

    expect(await page.locator('main b').count()).toBe(0);
  });
});
