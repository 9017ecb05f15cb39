import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sdkOf } from './support/callers.ts';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { setStage, type Stage } from './support/stage.ts';

const PAGE = 'default/webhooks';

const inboxOf = (stage: Stage) =>
  stage.control<{ id: string; secret: string }>('POST', '/webhooks/endpoints', { kind: 'inbox' });

const part = (page: Page, name: string) =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) });

const openDelivery = (page: Page, type: string) => part(page, 'Deliveries').getByText(type).first().click();

describe('the page of webhooks', () => {
  it('shows what an SDK call delivers to an inbox, and checks the signature step by step', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await page.getByRole('button', { name: 'Add an inbox' }).click();
    await page.getByText('every event').waitFor();
    const { endpoints } = await stage.control<{ endpoints: { secret: string }[] }>(
      'GET',
      '/webhooks/endpoints',
    );

    await sdkOf(stage).organization.createOrganization(MARKUP);

    await openDelivery(page, 'organization.created');
    await page.getByText('The secret of the endpoint makes this signature.').click();
    const step = (name: string) => page.locator('dl div', { hasText: new RegExp(`^${name}`) }).locator('dd');
    expect(await step('secret').textContent()).toBe(endpoints[0]!.secret);
    expect(await step('expected').textContent()).toBe(await step('webhook-signature').textContent());
    await page
      .getByLabel(/^Payload of msg_/)
      .getByText('onerror')
      .first()
      .waitFor();
    await expectNoMarkup(page);
  });

  it.each([
    ['webhook-wrong-signature', {}, 'No secret of the endpoint makes this signature.'],
    ['webhook-rotated-secret', {}, 'No secret of the endpoint makes this signature.'],
    ['webhook-wrong-signature', { signature: 'missing' }, 'The headers of the signature are missing.'],
    ['webhook-old-timestamp', {}, /The timestamp is 60\d seconds old/],
    ['webhook-outside-contract', {}, 'The secret of the endpoint makes this signature.'],
  ])('says what is wrong with the signature of %s %o', async (name, params, result) => {
    const stage = await setStage();
    const { id } = await inboxOf(stage);
    await stage.control('POST', '/scenarios', { name, params });
    await sdkOf(stage).organization.createOrganization('Signed Ltd');
    await stage.control('GET', `/webhooks/deliveries/wait?endpoint=${id}`);
    const page = await openDashboard(stage, PAGE);

    await openDelivery(page, 'organization.created');

    await page.getByText(result).waitFor();
    await page.getByRole('link', { name: `${name}, rules[0]` }).waitFor();
  });

  it('sends a test event of a chosen type, and a delivery again', async () => {
    const stage = await setStage();
    await inboxOf(stage);
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('Type of the event').selectOption('user.login');

    await page.getByRole('button', { name: 'Send a test event' }).click();
    await openDelivery(page, 'user.login');
    await page.getByRole('button', { name: 'Send again' }).click();

    await page.getByText('2 attempts').waitFor();
  });

  it('renders only the deliveries that are open', async () => {
    const stage = await setStage();
    await inboxOf(stage);
    for (const name of ['One', 'Two', 'Three']) await sdkOf(stage).organization.createOrganization(name);
    const page = await openDashboard(stage, PAGE);
    await expect.poll(() => page.locator('.delivery').count()).toBe(3);
    expect(await page.locator('.delivery > :not(summary)').count()).toBe(0);

    await openDelivery(page, 'organization.created');

    await page.getByRole('button', { name: 'Send again' }).waitFor();
    expect(await page.getByLabel(/^Payload of msg_/).count()).toBe(1);
  });

  it('removes an endpoint after a question', async () => {
    const stage = await setStage();
    const { id } = await inboxOf(stage);
    const page = await openDashboard(stage, PAGE);

    await page
      .getByText('An inbox is an endpoint that stores its deliveries instead of sending them.')
      .waitFor();
    await page.getByRole('button', { name: `Remove ${id}…` }).click();
    await page.getByText(/^Remove the endpoint .* with its secret and its deliveries\?$/).waitFor();
    await page.getByRole('button', { name: `Remove ${id}`, exact: true }).click();

    await page.getByText('No endpoint yet.').waitFor();
  });

  it('rotates a secret, and both sign until the overlap is over', async () => {
    const stage = await setStage();
    const { secret } = await inboxOf(stage);
    const page = await openDashboard(stage, PAGE);
    await page.getByText('Rotate the secret…').click();
    await page.getByLabel('Former secret signs for').fill('soon');
    await page.getByRole('button', { name: /^Rotate the secret/ }).click();
    expect(await page.getByRole('alert').textContent()).toContain('overlap');

    await page.getByLabel('Former secret signs for').fill('2h');
    await page.getByRole('button', { name: /^Rotate the secret/ }).click();
    await page.getByText(secret).waitFor();
    await page.getByText(/ends in (1 hour|2 hours)/).waitFor();
    await stage.control('POST', '/clock/advance', { by: '3h' });

    await page.getByText(secret).waitFor({ state: 'detached' });
  });

  it('shows why an address is refused, and each attempt that fails', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('Add an endpoint').fill('nowhere');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toContain('url');
    await page.getByLabel('Add an endpoint').fill('http://localhost:9/hooks');
    await page.getByLabel('Events').fill('organization.*');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await part(page, 'Endpoints').getByText('http://localhost:9/hooks').waitFor();
    await part(page, 'Endpoints').getByText('organization.*').waitFor();

    await sdkOf(stage).organization.createOrganization('Nobody listens');

    await openDelivery(page, 'organization.created');
    await page.getByText('no answer').first().waitFor();
    await page.getByText(/^Next attempt in/).waitFor();
  });

  it('opens the webhook portal', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    const opened = page.waitForEvent('popup');

    await page.getByRole('button', { name: 'Open the webhook portal' }).click();

    await (await opened).getByRole('heading', { level: 1 }).waitFor();
  });
});

const INVITE = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';

const newInterceptor = (stage: Stage, display_name: string, trigger_point: string) =>
  stage.api<{ interceptor: { id: string } }>('POST', '/api/v1/interceptors', {
    display_name,
    trigger_point,
    failure_policy: 'FAIL_OPEN',
    api_url: 'http://localhost:9/',
  });

describe('the page of interceptors', () => {
  it('shows what an interceptor was asked and what came of it, and lets one try it', async () => {
    const stage = await setStage();
    await stage.control('POST', '/scenarios', {
      name: 'interceptor-denies',
      params: { trigger_point: 'PRE_USER_INVITATION', message: MARKUP },
    });
    const page = await openDashboard(stage, 'default/interceptors');
    await page.getByRole('heading', { name: "A scenario's" }).waitFor();
    const invite = sdkOf(stage).user.createUserAndMembership('org_10000000000000001', {
      email: 'new@acme.example',
      sendInvitationEmail: true,
    });
    await expect(invite).rejects.toThrow();

    await page.getByText(`It says: ${MARKUP}`).click();
    await page.getByText('denied', { exact: true }).waitFor();
    await page
      .getByLabel(/^Body of interceptor request/)
      .getByText('new@acme.example')
      .first()
      .waitFor();
    await page
      .getByLabel(/^Answer req/)
      .getByText('DENY')
      .waitFor();
    await expectNoMarkup(page);
    await page.getByText("Try A scenario's…").click();
    await page.getByLabel("Request to A scenario's (JSON)").fill('{}');
    await page.getByRole('button', { name: "Ask A scenario's" }).click();
    await page.getByLabel("Answer of A scenario's").waitFor();
    await page.getByRole('link', { name: 'UserService_CreateUserAndMembership' }).click();
    await page.getByRole('heading', { name: 'Why this answer' }).waitFor();
    await page.getByText(`It says: ${MARKUP}`).waitFor();
    await expectNoMarkup(page);
  });

  it('shows which policy decided for an interceptor that does not answer', async () => {
    const stage = await setStage();
    const { interceptor } = await newInterceptor(stage, 'Nobody', 'PRE_USER_INVITATION');
    await stage.api('PATCH', `/api/v1/interceptors/${interceptor.id}:enable`);
    const page = await openDashboard(stage, 'default/interceptors');
    await page.getByText('No interceptor was asked yet.').waitFor();

    await stage.api('PATCH', INVITE, {});

    await page.getByText('No valid answer: FAIL_OPEN allows.').waitFor();
    await page.getByText('allowed', { exact: true }).waitFor();
    await page
      .getByText(/last asked/)
      .first()
      .waitFor();
  });

  it('turns an interceptor on and off', async () => {
    const stage = await setStage();
    const { interceptor } = await newInterceptor(stage, MARKUP, 'PRE_SIGNUP');
    const page = await openDashboard(stage, 'default/interceptors');
    const shown = page.getByRole('article').filter({ hasText: MARKUP });

    await shown.getByRole('button', { name: /^Enable/ }).click();
    await shown.getByRole('button', { name: /^Disable/ }).waitFor();
    const row = await stage.control('GET', `/state/interceptors/${interceptor.id}`);
    expect(row).toMatchObject({ enabled: true });
    await shown.getByRole('button', { name: /^Disable/ }).click();

    await shown.getByRole('button', { name: /^Enable/ }).waitFor();
    await expectNoMarkup(page);
  });
});
