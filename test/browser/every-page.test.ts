import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { PageName } from '@understudy/dashboard/navigation';
import { openDashboard } from './support/dashboard.ts';
import { fill } from './support/filled.ts';
import { flawsOf } from './support/looks.ts';
import { openWindow, setStage, tokenOf, type Stage } from './support/stage.ts';
import { ACME } from '../support/fixture-ids.ts';

/** axe-core itself adds inline styles where it looks into an editor. */
const WINDOW = { bypassCSP: true };
/** In milliseconds: each of these tests opens dozens of pages. */
const LIMIT = 900_000;
const WRONG_SCENARIO =
  '# a comment\nname: down\nrules:\n  - { on: "*", times: 1, reply: { error: unavailible } }\n';

interface Shown {
  /** What follows the page's name in the address. */
  ids?: (stage: Stage) => string | Promise<string>;
  /** A text of the page when it has loaded. */
  ready: string | RegExp;
  /** Opens what the page has more; resolves to the tab that it opens, if that is to be checked. */
  open?: (page: Page, stage: Stage) => Promise<Page | void>;
}

/** Opens whatever the page folds. A click on each of dozens would take longer than the rest. */
const OPEN_ALL = "for (const each of document.querySelectorAll('main details')) each.open = true";

const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();

const latest = async ({ control }: Stage) =>
  (await control<{ requests: { id: string }[] }>('GET', '/requests?limit=1')).requests[0]!.id;

/** The pages of an environment, each with at least one address. */
const PAGES: Record<PageName, Shown[]> = {
  requests: [
    {
      ready: 'OrganizationService_GetOrganization',
      open: async (page) => {
        await page.getByLabel('Calls of').selectOption('All environments');
        await page.getByRole('list', { name: 'Calls' }).getByText('default').first().waitFor();
      },
    },
  ],
  request: [{ ids: latest, ready: '"Acme Two"' }],
  scenarios: [
    {
      ready: '1 applied',
      open: async (page) => {
        await press(page, 'Open the editor');
        await page.getByRole('textbox', { name: 'Scenario (YAML or JSON)' }).focus();
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText(WRONG_SCENARIO);
        await page.getByText('rules[0].reply.error').waitFor();
      },
    },
  ],
  clock: [{ ready: /^The invitation expires/ }],
  state: [{ ready: 'organizations' }, { ids: () => 'memberships', ready: 'mem_10000000000000006' }],
  row: [
    {
      ids: () => `organizations/${ACME}`,
      ready: 'display_name (required)',
      open: async (page) => {
        await press(page, 'Delete…');
        await page.getByText('Deleted with it').waitFor();
        await page.getByLabel('max_allowed_users').fill('many');
        await press(page, 'Save');
        await page.getByRole('alert').first().waitFor();
      },
    },
    { ids: () => 'organizations', ready: 'region_code (required)' },
  ],
  'sign-ins': [
    {
      ready: 'nina@nordwind.example',
      open: async (page, stage) => {
        await page.getByLabel('Token', { exact: true }).fill(await tokenOf(stage));
        await page.getByText(/of \/keys signed it/).waitFor();
      },
    },
    { ready: 'nina@nordwind.example', open: signIn },
  ],
  'signed-in': [{ ids: () => 'error=access_denied', ready: 'Not signed in' }],
  initiated: [{ ids: () => 'error=access_denied', ready: 'Started at the identity provider' }],
  'connected-accounts': [{ ready: 'quarry-inbox' }],
  'identity-providers': [
    {
      ready: 'Let a provider do something',
      open: async (page) => {
        await page.getByLabel('Person').fill('mia@acme.example');
        await press(page, 'Do it');
        await page.getByRole('article', { name: /^Okta/ }).waitFor();
        await page.getByText('Pushes', { exact: true }).click();
      },
    },
  ],
  mail: [
    { ready: '2 mails' },
    {
      ids: async ({ control }) =>
        (await control<{ mails: { id: string }[] }>('GET', '/mail?format=json')).mails[1]!.id,
      ready: /^Copy the code/,
      open: async (page) => page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor(),
    },
  ],
  webhooks: [{ ready: 'organization.created to' }],
  interceptors: [{ ready: /^It says/ }],
  // Its rows are all alike: some are enough.
  coverage: [
    { ready: 'Operations', open: (page) => page.getByRole('searchbox', { name: 'Find' }).fill('webhook') },
  ],
  environments: [{ ready: /^before$/ }],
  compare: [{ ids: () => '?left=snapshot%3Abefore&right=environment%3Adefault', ready: /rows? added/ }],
  reference: [
    {
      ready: 'Session policies',
      open: async (page) => {
        await page.getByRole('searchbox', { name: 'Find operations' }).fill('invite');
        await page.getByRole('status').getByText('with “invite”').waitFor();
      },
    },
  ],
  operation: [
    {
      ids: () => 'OrganizationService_UpdateOrganization',
      ready: 'Its latest calls',
      open: async (page) => {
        await page.getByLabel('id (required)', { exact: true }).fill(ACME);
        await press(page, 'Send the call');
        await page.getByRole('link', { name: /^Why this answer/ }).waitFor();
        await page.getByRole('button', { name: 'Load internal-error' }).waitFor();
      },
    },
    { ids: () => 'Control_AdvanceClock', ready: 'Advance the clock' },
  ],
  schema: [{ ids: () => 'service/Organization', ready: 'display_name' }],
};

/** Signs in at the dashboard, and resolves to the tab that shows the tokens. */
async function signIn(page: Page): Promise<Page> {
  await page.getByLabel('User', { exact: true }).fill('ravi@acme.example');
  await page.getByLabel(/Skip the sign-in pages/).check();
  const opened = page.waitForEvent('popup');
  await press(page, 'Open the sign-in');
  const tab = await opened;
  await tab
    .getByText(/of \/keys signed it/)
    .first()
    .waitFor();
  return tab;
}

it(
  'no page of the dashboard has a flaw that axe-core finds, or is wider than a phone',
  { timeout: LIMIT },
  async () => {
    const stage = await setStage();
    await fill(stage);
    const page = await openDashboard(stage, 'default/requests', WINDOW);
    const flaws: string[] = [];
    for (const [name, all] of Object.entries(PAGES))
      for (const { ids, ready, open } of all) {
        const address = `default/${[name, await ids?.(stage)].filter(Boolean).join('/')}`;
        await page.goto(`${stage.issuer}/_control/#/${address}`);
        await page.locator('main').getByText(ready).first().waitFor();
        const tab = await open?.(page, stage);
        await page.evaluate(OPEN_ALL);
        flaws.push(...(await flawsOf(tab ?? page, tab ? 'default/signed-in with tokens' : address)));
      }

    expect(flaws).toEqual([]);
  },
);

it(
  'the dashboard without a page has no flaw either: locked, no such page, no such environment',
  { timeout: LIMIT },
  async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow(WINDOW);
    const flaws: string[] = [];
    await page.goto(`${stage.issuer}/_control/`);
    await page.getByLabel('Token').fill('guess');
    await press(page, 'Unlock');
    await page.getByRole('alert').waitFor();
    flaws.push(...(await flawsOf(page, 'locked')));
    await page.getByLabel('Token').fill('sesame');
    await press(page, 'Unlock');
    for (const [address, ready] of [
      ['default/nothing', 'There is no such page'],
      ['nowhere/clock', 'There is no environment nowhere'],
    ] as const) {
      await page.goto(`${stage.issuer}/_control/#/${address}`);
      await page.getByRole('heading', { level: 1, name: ready }).waitFor();
      flaws.push(...(await flawsOf(page, address)));
    }

    expect(flaws).toEqual([]);
  },
);

it('the docs have no flaw either', { timeout: LIMIT }, async () => {
  const { issuer } = await setStage();
  const page = await openWindow(WINDOW);
  const flaws: string[] = [];
  for (const name of ['', 'time', 'command-line']) {
    await page.goto(`${issuer}/_control/docs/${name}`);
    flaws.push(...(await flawsOf(page, `docs/${name}`)));
  }
  await page.getByRole('searchbox').fill('signature');
  await page.getByRole('region', { name: 'Search results' }).getByRole('link').first().waitFor();
  flaws.push(...(await flawsOf(page, 'docs search')));

  expect(flaws).toEqual([]);
});
