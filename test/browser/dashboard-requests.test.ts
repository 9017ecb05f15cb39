import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { restOf, sdkOf } from './support/callers.ts';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { setStage, tokenOf, type Stage } from './support/stage.ts';
import { ACME } from '../support/fixture-ids.ts';

const PAGE = 'default/requests';
const ORGANIZATIONS = '/api/v1/organizations';
/** More calls than one fetch of the list reads. */
const MANY = 1200;
const LONG_JOURNAL = { config: { journal: { entries: 10_000, bytes: 1e9, redact: true } } };
const AT_ONCE = 50;

/** The width of the hint in the field for operations, and the width that the field has for it without the arrow of its list. */
const HINT_WIDTHS = `(() => {
  const field = document.querySelector('[aria-label="Operation"]');
  const style = getComputedStyle(field);
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return [canvas.measureText(field.placeholder).width, room - 20];
})()`;

interface Made {
  client_id: string;
  client_secret: string;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const lines = (page: Page) => page.getByRole('list', { name: 'Calls' }).getByRole('link');
const count = (page: Page, text: string) => page.getByRole('search').getByText(text, { exact: true });
const calls = (number: number) => `${number.toLocaleString('en')} calls`;
const visit = (page: Page, entry: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: entry }).click();

const scrollToEnd = (page: Page) => page.evaluate("document.querySelector('.virtual').scrollTo(0, 1e9)");

/** Makes calls, some at once. */
async function callOften(stage: Stage, times: number): Promise<void> {
  const call = await restOf(stage);
  for (let made = 0; made < times; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => call(`${ORGANIZATIONS}/${ACME}`)));
}

const makeEnvironment = (stage: Stage, name: string) =>
  stage.control<Made>('POST', '/environments', { name });

describe('the page of requests', () => {
  it('lets a reader make the next call of an SDK fail, see why, and undo it', async () => {
    const stage = await setStage();
    const sdk = sdkOf(stage);
    const page = await openDashboard(stage, 'default/scenarios');
    await page.getByText('Load rate-limit-once…').click();
    await page.getByRole('button', { name: 'Load', exact: true }).first().click();
    await page.getByRole('heading', { level: 3, name: 'rate-limit-once' }).waitFor();
    await visit(page, 'Requests');
    await heading(page, 'Requests').waitFor();

    await expect(sdk.organization.getOrganization(ACME)).rejects.toThrow();
    const failed = lines(page).filter({ hasText: 'OrganizationService_GetOrganization' });
    await failed.filter({ hasText: '429' }).click();
    await page.getByText('matches; applied 1 of 1 times').waitFor();
    await page.getByRole('link', { name: 'rate-limit-once, rules[0]' }).click();
    await page.getByRole('button', { name: 'Unload rate-limit-once' }).click();
    await page
      .getByText('No scenario is loaded: every call is answered from the state of the environment.')
      .waitFor();

    const { organization } = await sdk.organization.getOrganization(ACME);
    expect(organization?.displayName).toBe('Acme Corp');
  });

  it('filters calls over REST and gRPC by operation, status, protocol and text', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    const call = await restOf(stage);
    await sdkOf(stage).organization.getOrganization(ACME);
    expect(await call(`${ORGANIZATIONS}/org_404`)).toBe(404);
    expect(await call('/api/v1/users')).toBe(200);
    await lines(page).filter({ hasText: 'UserService_ListUsers' }).waitFor();

    const operation = page.getByRole('combobox', { name: 'Operation' });
    await operation.fill('organizationservice_*');
    await count(page, '3 of 7 calls').waitFor();
    await operation.fill('GetOrganization');
    // The SDK asks for a token after a call without one was refused.
    await page.getByLabel('Protocol').selectOption('gRPC');
    await count(page, '2 of 7 calls').waitFor();
    await page.getByLabel('Protocol').selectOption('HTTP');
    await count(page, '1 of 7 calls').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('2xx');
    await page.getByText('No call matches the filter.').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('4xx');
    await page.getByRole('searchbox').fill('org_404 get');
    await count(page, '1 of 7 calls').waitFor();
    await page.getByLabel('Protocol').selectOption('Any protocol');
    await page.getByLabel('Status', { exact: true }).selectOption('Any status');
    await page.getByRole('searchbox').fill('');
    await operation.fill('');
    await count(page, '7 calls').waitFor();
    const options = page.locator('#operations-seen option');
    const proposed = () =>
      options.evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value));

    await expect
      .poll(proposed)
      .toEqual([
        'OAuth_Discovery',
        'OAuth_Token',
        'OrganizationService_GetOrganization',
        'UserService_ListUsers',
      ]);
  });

  it('holds a window of rows alone while thousands of calls come, and stands still while it is paused', async () => {
    const stage = await setStage(LONG_JOURNAL);
    const page = await openDashboard(stage, PAGE);
    await callOften(stage, MANY);
    await count(page, calls(MANY + 2)).waitFor();

    expect(await lines(page).count()).toBeLessThan(60);
    await scrollToEnd(page);
    await lines(page).filter({ hasText: 'OAuth_Token' }).waitFor();
    expect(await lines(page).count()).toBeLessThan(60);
    await page.getByRole('combobox', { name: 'Operation' }).fill('OAuth_T*');
    await count(page, '1 of 1,202 calls').waitFor();
    await expect.poll(() => lines(page).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Operation' }).fill('');
    await count(page, calls(MANY + 2)).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await callOften(stage, AT_ONCE);
    await page.getByRole('button', { name: `Resume (${AT_ONCE + 1} new)` }).waitFor();
    await count(page, calls(MANY + 2)).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await count(page, calls(MANY + AT_ONCE + 3)).waitFor();
  });

  it('fetches the calls at most four times a second and their summary once, however often calls come', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await count(page, '1 call').waitFor();
    const call = await restOf(stage);
    const fetches: string[] = [];
    const summaries: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (url.includes('/requests?')) (url.includes('summary=') ? summaries : fetches).push(url);
    });

    const begun = performance.now();
    for (let made = 0; made < 100; made += 1) await call(`${ORGANIZATIONS}/${ACME}`);
    await count(page, '102 calls').waitFor();

    // The first one begins at once, and a fetch may ask again for calls that ended meanwhile. One for each call would be 100.
    const time = performance.now() - begun;
    expect(fetches.length).toBeLessThanOrEqual(5 + time / 250);
    expect(summaries.length).toBeLessThanOrEqual(2 + time / 1000);
  });

  it('loads older calls of a long journal', async () => {
    const stage = await setStage();
    await callOften(stage, 600);
    const page = await openDashboard(stage, PAGE);
    await count(page, '602 calls').waitFor();
    await page.getByText('The list has the latest 500 of 602 calls.').waitFor();

    await page.getByRole('button', { name: 'Load older calls' }).click();

    await page.getByRole('button', { name: 'Load older calls' }).waitFor({ state: 'detached' });
    await scrollToEnd(page);
    await lines(page).last().filter({ hasText: 'OAuth_Discovery' }).waitFor();
  });

  it('shows and clears the calls of all environments, of those that come later too', async () => {
    const stage = await setStage();
    const early = await makeEnvironment(stage, 'early');
    const callEarly = await restOf(stage, early);
    await callEarly(`${ORGANIZATIONS}/${ACME}`);
    const page = await openDashboard(stage, PAGE);
    await count(page, '1 call').waitFor();

    await page.getByLabel('Calls of').selectOption('All environments');
    await lines(page).filter({ hasText: 'early' }).first().waitFor();
    await callOften(stage, AT_ONCE);
    const late = await makeEnvironment(stage, 'late');
    const call = await restOf(stage, late);
    await call('/api/v1/users');
    await count(page, `${AT_ONCE + 6} calls`).waitFor();
    await lines(page).filter({ hasText: 'UserService_ListUsers' }).click();
    await page.waitForURL(/#\/late\/request\/req_2/);
    await heading(page, 'UserService_ListUsers').waitFor();
    await page.goBack();

    await page.getByLabel('Calls of').selectOption('All environments');
    await count(page, `${AT_ONCE + 6} calls`).waitFor();
    await stage.control('DELETE', '/environments/late');
    await count(page, `${AT_ONCE + 4} calls`).waitFor();
    await page.getByRole('button', { name: 'Clear…' }).click();
    await page.getByRole('button', { name: 'Keep them' }).click();
    await count(page, `${AT_ONCE + 4} calls`).waitFor();
    await page.getByRole('button', { name: 'Clear…' }).click();
    await page.getByRole('button', { name: 'Delete the calls' }).click();
    await page.getByText('No calls yet.').waitFor();
    expect(await stage.control('GET', '/environments/early/requests')).toEqual({
      requests: [],
      total: 0,
      kept: 0,
    });
  });

  it('has the calls of environments that are kept for tests, and not of those that are dropped', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('Calls of').selectOption('All environments');
    for (const name of ['kept', 'dropped'])
      await (
        await restOf(stage, await makeEnvironment(stage, name))
      )('/api/v1/users');
    const callsOf = (name: string) =>
      lines(page).filter({ hasText: 'UserService_ListUsers' }).filter({ hasText: name });
    await callsOf('kept').waitFor();
    await callsOf('dropped').waitFor();

    await stage.control('POST', '/environments/kept/keep', { test: 'a.test.ts > fails', outcome: 'failed' });
    await stage.control('DELETE', '/environments/dropped');

    await callsOf('dropped').waitFor({ state: 'detached' });
    await callsOf('kept').waitFor();
    await page.reload();
    await callsOf('kept').waitFor();
    expect(await callsOf('dropped').count()).toBe(0);
  });

  it('finds a call that is older than those that the list has read', async () => {
    const stage = await setStage();
    const call = await restOf(stage);
    await call(ORGANIZATIONS, { method: 'POST', body: { display_name: 'Needle in a haystack' } });
    await callOften(stage, 800);
    const page = await openDashboard(stage, PAGE);
    await count(page, '804 calls').waitFor();

    await page.getByRole('searchbox').fill('haystack needle');

    await count(page, '1 of 804 calls').waitFor();
    await lines(page).filter({ hasText: 'OrganizationService_CreateOrganization' }).waitFor();
    await call(ORGANIZATIONS, { method: 'POST', body: { display_name: 'Another needle in the haystack' } });
    await call(`${ORGANIZATIONS}/org_404`);
    await count(page, '2 of 806 calls').waitFor();
  });

  it('keeps filter, order and selection in the address', async () => {
    const stage = await setStage();
    const call = await restOf(stage);
    for (const id of ['org_404', ACME, 'org_405']) await call(`${ORGANIZATIONS}/${id}`);
    const page = await openDashboard(stage, `${PAGE}?status=404&sort=path`);
    await count(page, '2 of 5 calls').waitFor();
    expect(await lines(page).locator('.path').allTextContents()).toEqual(
      ['org_404', 'org_405'].map((id) => `${ORGANIZATIONS}/${id}`),
    );
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('*_405');
    await count(page, '1 of 5 calls').waitFor();

    await lines(page).first().click();
    await heading(page, 'OrganizationService_GetOrganization').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Requests' }).last().click();

    await count(page, '1 of 5 calls').waitFor();
    expect(await lines(page).first().getAttribute('aria-current')).toBe('true');
    expect(new URL(page.url()).hash).toBe(
      '#/default/requests?status=404&path=*_405&sort=path&selected=req_5',
    );
  });

  it('is sorted by the headings of its columns, over all calls', async () => {
    const stage = await setStage(LONG_JOURNAL);
    const call = await restOf(stage);
    await call(`${ORGANIZATIONS}/org_404`);
    await callOften(stage, 1200);
    const page = await openDashboard(stage, PAGE);

    await page.getByRole('button', { name: 'Sort by status' }).click();
    await expect.poll(() => lines(page).locator('.badge').first().textContent()).toBe('404');
    await page.getByText('The list has the first 1,000 of 1,204 calls in this order.').waitFor();
    await page.getByRole('button', { name: 'Sort by status, descending' }).click();
    await expect.poll(() => lines(page).locator('.badge').first().textContent()).toBe('200');
    await page.getByRole('button', { name: 'Sort by status, ascending' }).click();
    await page.getByText('The list has the latest 500 of 1,204 calls.').waitFor();
  });

  it('shows calls and failures over time, and groups those that failed by operation and cause', async () => {
    const stage = await setStage();
    const call = await restOf(stage);
    for (const id of ['org_404', 'org_405']) await call(`${ORGANIZATIONS}/${id}`);
    await call(`${ORGANIZATIONS}/${ACME}`);
    const page = await openDashboard(stage, PAGE);
    const chart = (text: RegExp) => page.getByRole('img', { name: text });
    const groups = page
      .getByRole('list', { name: 'Failed calls by operation and cause' })
      .getByRole('listitem');
    await chart(/^5 calls, 2 failed, at most \d in \d+ seconds?$/).waitFor();

    await call('/api/v1/users/usr_404');
    await chart(/^6 calls, 3 failed/).waitFor();
    await page.getByText('3 failed calls, by operation and cause: 2 groups').click();
    await expect
      .poll(() => groups.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^404 OrganizationService_GetOrganization RESOURCE_NOT_FOUND 2 calls/),
        expect.stringMatching(/^404 UserService_GetUser RESOURCE_NOT_FOUND 1 call,/),
      ]);
    await groups
      .getByRole('button', { name: 'Show the calls of OrganizationService_GetOrganization' })
      .click();
    await count(page, '2 of 6 calls').waitFor();
    await chart(/^2 calls, 2 failed/).waitFor();
    await groups.getByRole('link', { name: 'OrganizationService_GetOrganization' }).click();

    await heading(page, 'OrganizationService_GetOrganization').waitFor();
    await page.getByText('org_405').first().waitFor();
  });

  it('says which operation it does not know', async () => {
    const stage = await setStage();
    await tokenOf(stage);
    const page = await openDashboard(stage, PAGE);

    await page.getByRole('combobox', { name: 'Operation' }).fill('Nothing');

    await page.getByRole('alert').filter({ hasText: 'no operation matches *Nothing*' }).waitFor();
    await page.getByText('No call matches the filter.').waitFor();
    await page.getByRole('combobox', { name: 'Operation' }).fill('Token');
    await count(page, '1 of 2 calls').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it.each([
    [768, true],
    [360, false],
  ])('shows in a window of %i pixels whether paths are visible: %s', async (width, isVisible) => {
    const stage = await setStage();
    await tokenOf(stage);
    const page = await openDashboard(stage, PAGE, { viewport: { width, height: 800 } });

    const path = lines(page).first().locator('.path');

    await path.waitFor({ state: 'attached' });
    expect(await path.isVisible()).toBe(isVisible);
  });

  it('offers the variables of an environment that has no calls', async () => {
    const stage = await setStage();
    const { client_id } = await makeEnvironment(stage, 'shop');
    const page = await openDashboard(stage, 'shop/requests');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Start your application with the variables of shop').waitFor();

    await page.getByRole('button', { name: 'Copy variables' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();

    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `SCALEKIT_CLIENT_ID=${client_id}`,
    );
  });

  it('shows the whole hint of the filter for operations', async () => {
    const page = await openDashboard(await setStage(), PAGE, { viewport: { width: 1280, height: 800 } });

    const [needed, width] = await page.evaluate<number[]>(HINT_WIDTHS);

    expect(width).toBeGreaterThan(needed!);
  });

  it('shows markup of paths as text', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    const call = await restOf(stage);

    await call(`/api/v1/${encodeURIComponent(MARKUP)}`);

    await count(page, '3 calls').waitFor();
    await expectNoMarkup(page);
  });
});
