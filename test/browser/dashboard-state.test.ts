import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { setStage, type Stage } from './support/stage.ts';
import { ACME } from '../support/fixture-ids.ts';

const LENA = 'row/memberships/mem_10000000000000006';

/** The same row in two windows. */
const openTwice = async (stage: Stage): Promise<[Page, Page]> => [
  await openDashboard(stage, `default/row/organizations/${ACME}`),
  await openDashboard(stage, `default/row/organizations/${ACME}`),
];

/** Saves what was changed. */
async function save(page: Page): Promise<void> {
  await page.getByText('Not saved yet').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
}

/** A simulator with thousands of organizations. */
async function setLargeStage(): Promise<Stage> {
  const stage = await setStage();
  const organizations = Array.from({ length: 5000 }, (_, index) => ({
    id: `org_${index + 1}`,
    display_name: `Company-${(index * 7919) % 5000}`,
    region_code: 'US',
    metadata: {},
    create_time: '2030-01-01T00:00:00Z',
    update_time: '2030-01-01T00:00:00Z',
  }));
  await stage.control('PUT', '/state', { include: ['empty'], organizations });
  return stage;
}

describe('a collection in the dashboard', () => {
  it('shows each row in one line', async () => {
    const page = await openDashboard(await setStage(), 'default/state/organizations');
    const row = page.locator('.stored', { hasText: 'crm-acme' });

    const slug = row.getByText('acme', { exact: true });

    const [line, value] = [await row.boundingBox(), await slug.boundingBox()];
    expect(value!.y + value!.height).toBeLessThanOrEqual(line!.y + line!.height);
  });

  it('has its entry in view on a phone, and so has the page', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/state/mcps', { viewport: { width: 320, height: 640 } });

    await expect.poll(() => isInView(page, 'Collections', /^mcps/)).toBe(true);
    await page.goto(`${stage.issuer}/_control/#/default/environments`);
    await expect.poll(() => isInView(page, 'Pages', 'Environments')).toBe(true);
  });

  it('is read alone, and the other collections are only counted', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/requests');
    const read: string[] = [];
    page.on('request', (request) => read.push(new URL(request.url()).pathname));

    await page.goto(`${stage.issuer}/_control/#/default/state/organizations`);
    await page.locator('.stored').first().waitFor();

    const { rows } = await stage.control<{ rows: unknown[] }>('GET', '/state/organizations');
    const chosen = page.getByRole('navigation', { name: 'Collections' }).locator('[aria-current]');
    await expect.poll(() => chosen.textContent()).toBe(`organizations ${rows.length}`);
    const state = read.filter((path) => /\/state(\/|$)/.test(path)).map((path) => path.split('/state')[1]);
    expect(new Set(state)).toEqual(new Set(['/counts', '/organizations']));
  });

  it('is sorted and filtered while it has thousands of rows', async () => {
    const page = await openDashboard(await setLargeStage(), 'default/state/organizations');
    const first = page.locator('.stored').first();

    await page.getByRole('button', { name: 'Sort by display_name' }).click();
    await first.getByText('Company-0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sort by display_name, ascending' }).click();
    await first.getByText('Company-4999', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'newest first' }).click();
    await first.getByText('org_5000', { exact: true }).waitFor();
    await page.getByLabel('Filter organizations').fill('company-123');
    await first.getByText('Company-123', { exact: true }).waitFor(); // organization 4518 of 5000
    await page.getByLabel('Filter organizations').fill('nobody');
    await page.getByText('No row has this text.').waitFor();
  });

  it('is read in pages while one scrolls', async () => {
    const stage = await setLargeStage();
    const page = await openDashboard(stage, 'default/requests');
    const read: URLSearchParams[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/state/organizations')) read.push(searchParams);
    });
    await page.goto(`${stage.issuer}/_control/#/default/state/organizations`);
    await page.getByText('org_1', { exact: true }).waitFor();

    const list = page.getByRole('list', { name: 'Rows of organizations' });
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await page.getByText('org_5000', { exact: true }).waitFor();
    await stage.control('PATCH', '/state/organizations/org_4999', { display_name: 'Changed meanwhile' });
    await page.getByText('Changed meanwhile').waitFor();

    expect(new Set(read.map((query) => query.get('limit')))).toEqual(new Set(['100']));
    expect(new Set(read.map((query) => query.get('offset')))).toEqual(new Set(['0', '4900']));
  });

  it('is listed while it has rows; empty ones are behind a switch', async () => {
    const page = await openDashboard(await setStage(), 'default/state');
    const list = page.getByRole('navigation', { name: 'Collections' });
    await list.getByRole('link', { name: /^users/ }).waitFor();
    expect(await list.getByRole('link', { name: 'mails' }).count()).toBe(0);

    await list.getByRole('button', { name: 'Empty ones, too' }).click();

    await list.getByRole('link', { name: 'mails' }).waitFor();
  });

  it('is that of organizations at first, and stands in a group', async () => {
    const page = await openDashboard(await setStage(), 'default/state');

    await page.getByRole('link', { name: /Acme Corp/ }).waitFor();

    const group = page.getByRole('group', { name: 'Organizations' });
    await group.getByRole('link', { name: /^users/ }).waitFor();
  });

  it('leads from an organization to a member with the keyboard alone', async () => {
    const page = await openDashboard(await setStage(), `default/row/organizations/${ACME}`);
    await page.getByRole('heading', { level: 1, name: 'Acme Corp' }).waitFor();
    const member = page.getByRole('link', { name: 'ravi@acme.example' }).first();
    await member.waitFor();
    let keys = 0;
    for (; !(await member.evaluate((link) => link.matches(':focus'))); keys += 1)
      await page.keyboard.press('Tab');

    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'ravi@acme.example' }).waitFor();
    await page.getByRole('link', { name: 'Acme Corp' }).first().waitFor();
    expect(keys).toBeLessThan(40);
    console.info(`from the organization to the member: ${keys + 1} keys`);
  });

  it('shows the rows that name a row, and the calls and events about it', async () => {
    const stage = await setStage();
    await stage.api('PATCH', `/api/v1/organizations/${ACME}`, { display_name: 'Acme Two' });
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);

    await page.getByRole('link', { name: 'OrganizationService_UpdateOrganization' }).waitFor();
    await page.getByText('organization.updated').waitFor();
    await page.getByRole('link', { name: 'memberships', exact: true }).click();

    await page.getByRole('list', { name: 'Rows of memberships' }).getByText('Acme Two').first().waitFor();
    expect(await page.getByLabel('Filter memberships').inputValue()).toBe(`"${ACME}"`);
  });
});

/** Whether a link of a navigation is between the left and the right edge of the window. */
const isInView = (page: Page, navigation: string, name: string | RegExp) =>
  page
    .getByRole('navigation', { name: navigation })
    .getByRole('link', { name })
    .evaluate((link) => {
      const { left, right } = link.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });

describe('a row in the dashboard', () => {
  it('is a form made from its schema, and saves what is changed there', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/${LENA}`);

    await page.getByLabel('membership_status (required)').selectOption('INACTIVE');
    await page.getByLabel('inviter_email').fill('');
    await save(page);

    const saved = await stage.control('GET', '/state/memberships/mem_10000000000000006');
    expect(saved).toMatchObject({ membership_status: 'INACTIVE' });
    expect(saved).not.toHaveProperty('inviter_email');
  });

  it('has hints: the words of the contract, and times in words', async () => {
    const stage = await setStage();
    await stage.control('PUT', '/clock', { mode: 'frozen', at: '2030-01-01T00:00:00Z' });
    await stage.control('PATCH', '/state/memberships/mem_10000000000000006', {
      expires_at: '2030-01-15T00:00:00Z',
    });
    const page = await openDashboard(stage, `default/${LENA}`);

    await page
      .getByText('When the invitation expires. Tue, 15 Jan 2030 00:00:00 GMT, in 14 days by the clock')
      .waitFor();
  });

  it('hides a secret until it is asked for', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/${LENA}`);
    const token = page.getByLabel('invitation_token', { exact: true });

    expect(await token.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show invitation_token' }).click();

    await expect.poll(() => token.getAttribute('type')).toBe('text');
  });

  it('shows the same row as JSON: what is typed in one is in the other', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    const json = page.getByLabel('JSON');
    const name = page.getByLabel('display_name (required)');

    await name.fill('Acme Two');
    await expect.poll(() => json.inputValue()).toContain('"display_name": "Acme Two"');
    await json.fill((await json.inputValue()).replace('Acme Two', 'Acme Three'));

    await expect.poll(() => name.inputValue()).toBe('Acme Three');
  });

  it('puts a complaint beside the field that it names, and keeps what was typed', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    const limit = page.getByLabel('max_allowed_users');

    await limit.fill('many');
    await page.getByRole('button', { name: 'Save' }).click();

    await page
      .locator('.field', { has: limit })
      .locator('.complaint', { hasText: 'must be integer' })
      .waitFor();
    expect(await limit.inputValue()).toBe('many');
    await expect.poll(() => limit.evaluate((field) => field.matches(':focus'))).toBe(true);
  });

  it('keeps JSON that is not finished, and says what is wrong with it', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);

    await page.getByLabel('JSON').fill('{"id": ');

    await page.getByText('The form comes back when the JSON is valid').waitFor();
    expect(await page.getByLabel('JSON').inputValue()).toBe('{"id": ');
  });

  it('edits maps, lists and groups', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);

    await page.getByLabel('plan in metadata').fill('trial');
    await page.getByRole('button', { name: 'Add to metadata' }).click();
    await page.getByLabel('Name 3 in metadata').fill('owner');
    await page.getByLabel('Name 3 in metadata').press('Tab');
    await page.getByLabel('owner in metadata', { exact: true }).fill('Priya');
    await page.getByRole('button', { name: 'Remove features 2' }).click();
    await save(page);

    expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject({
      metadata: { plan: 'trial', owner: 'Priya' },
      settings: { features: [{ name: 'sso' }] },
    });
  });

  it('is inserted with a form that marks what is required', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/row/organizations');
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await page
      .locator('.field', { has: page.getByLabel('region_code (required)') })
      .locator('.complaint', { hasText: 'US' })
      .waitFor();

    await page.getByLabel('id (required)', { exact: true }).fill('org_77');
    await page.getByLabel('display_name (required)').fill('New Ltd');
    await page.getByLabel('region_code (required)').selectOption('EU');
    await page.getByRole('button', { name: 'Insert', exact: true }).click();

    await page.getByRole('heading', { level: 1, name: 'New Ltd' }).waitFor();
    expect(await stage.control('GET', '/state/organizations/org_77')).toMatchObject({
      display_name: 'New Ltd',
    });
  });

  it('shows what a deletion would delete, deletes it, and brings all back', async () => {
    const stage = await setStage();
    const { hash } = await stage.control('GET', '/state/hash');
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);

    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByText('Deleted with it').waitFor();
    expect(await stage.control('GET', '/state/hash')).toEqual({ hash });
    await page.getByRole('button', { name: /^Delete \d+ rows$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'State' }).waitFor();
    expect(await stage.control('GET', '/state/hash')).not.toEqual({ hash });

    await page.getByRole('button', { name: `Undo delete ${ACME}` }).click();
    await page.getByRole('link', { name: 'Acme Corp' }).waitFor();

    await expect.poll(() => stage.control('GET', '/snapshots')).toEqual({ snapshots: [] });
    expect(await stage.control('GET', '/state/hash')).toEqual({ hash });
  });

  it('takes changes back one by one, the last one first', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    const name = page.getByLabel('display_name (required)');
    for (const each of ['One', 'Two']) {
      await name.fill(each);
      await save(page);
    }
    const undo = page.getByRole('button', { name: `Undo change ${ACME}` });

    await undo.click();
    await expect.poll(() => name.inputValue()).toBe('One');
    await undo.click();

    await expect.poll(() => name.inputValue()).toBe('Acme Corp');
    await undo.waitFor({ state: 'detached' });
  });

  it('says "Saved" and offers an undo beside the button, of this row alone', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    await page.getByLabel('display_name (required)').fill('One');
    await save(page);

    const bar = page.locator('.row-save');
    await bar.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    await bar.getByRole('button', { name: `Undo change ${ACME}` }).waitFor();
    await page.goto(`${stage.issuer}/_control/#/default/${LENA}`);
    await page.getByLabel('inviter_email').waitFor();
    await stage.control('PATCH', `/state/memberships/${LENA.split('/').at(-1)}`, {
      inviter_email: 'x@y.example',
    });
    await expect.poll(() => page.getByLabel('inviter_email').inputValue()).toBe('x@y.example');
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  });

  it('keeps what was typed while other pages are shown', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    await page.getByLabel('display_name (required)').fill('Typed');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByLabel('Add an endpoint').fill('http://localhost:9/typed');

    await page.goBack();
    await page.getByText('Not saved yet').waitFor();
    expect(await page.getByLabel('display_name (required)').inputValue()).toBe('Typed');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.goForward();

    const address = page.getByLabel('Add an endpoint');
    await expect.poll(() => address.inputValue()).toBe('http://localhost:9/typed');
    await page.goBack();
    await expect.poll(() => page.getByLabel('display_name (required)').inputValue()).toBe('Acme Corp');
  });

  it('offers an undo no more once the environment was reset', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    await page.getByLabel('display_name (required)').fill('One');
    await save(page);
    await page.getByRole('button', { name: `Undo change ${ACME}` }).waitFor();

    await stage.control('POST', '/reset');

    await page.getByRole('button', { name: `Undo change ${ACME}` }).waitFor({ state: 'detached' });
  });

  it('keeps what two tabs change in different fields', async () => {
    const stage = await setStage();
    const [one, other] = await openTwice(stage);
    await one.getByLabel('slug').fill('one');
    await other.getByLabel('display_name (required)').fill('Other');

    await save(one);
    await other.getByText('slug has another value now.').waitFor();
    await save(other);

    const row = { slug: 'one', display_name: 'Other' };
    expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject(row);
    await expect.poll(() => one.getByLabel('display_name (required)').inputValue()).toBe('Other');
  });

  it('asks what is saved if two tabs change the same field', async () => {
    const stage = await setStage();
    const [one, other] = await openTwice(stage);
    await one.getByLabel('slug').fill('one');
    await other.getByLabel('slug').fill('other');
    await other.getByLabel('display_name (required)').fill('Other');

    await save(one);
    await other.getByRole('group', { name: 'slug' }).getByText('Theirs: "one"').waitFor();
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Nothing is saved yet. Choose a value for slug.').waitFor();
    expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject({ slug: 'one' });
    const mine = other.getByLabel('Mine: "other"');
    const [circle, text] = [await mine.boundingBox(), await other.getByText('Mine: "other"').boundingBox()];
    expect([circle!.width < 25, text!.height < 40]).toEqual([true, true]);
    await mine.check();
    await other.getByLabel('Theirs: "one"').check();
    await save(other);

    const row = { slug: 'one', display_name: 'Other' };
    expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject(row);
  });

  it('says that a call has changed the row, and saves no member that the reader has not changed', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);
    await page.getByLabel('slug').fill('mine');

    await stage.api('PATCH', `/api/v1/organizations/${ACME}`, { display_name: 'By a call' });
    await page.getByText(/display_name.* another value now\./).waitFor();
    await save(page);

    const row = { slug: 'mine', display_name: 'By a call' };
    expect(await stage.control('GET', `/state/organizations/${ACME}`)).toMatchObject(row);
  });

  it('shows markup in values, names and ids as text', async () => {
    const stage = await setStage();
    await stage.control('PATCH', `/state/organizations/${ACME}`, {
      display_name: MARKUP,
      metadata: { '<b>key</b>': MARKUP },
    });
    const page = await openDashboard(stage, `default/row/organizations/${ACME}`);

    await page.getByLabel('<b>key</b> in metadata').waitFor();

    expect(await page.getByLabel('display_name (required)').inputValue()).toBe(MARKUP);
    await expectNoMarkup(page);
  });
});

describe('the rows of a collection in the dashboard', () => {
  it('say who belongs to which organization, on a phone too', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/state/memberships');
    const row = page.getByRole('listitem').filter({ hasText: 'mem_10000000000000006' });
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const name of ['lena@nordwind.example', 'Nordwind']) {
        const shown = row.getByRole('link', { name }).first();
        await shown.waitFor();
        const { x, width: wide } = (await shown.boundingBox())!;
        expect([name, width, wide > 70, x + wide <= width]).toEqual([name, width, true, true]);
      }
    }
  });

  it('have filter and order in the address', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/state/users');
    await page.getByRole('button', { name: 'Sort by email' }).click();
    await page.getByRole('button', { name: 'Sort by email, ascending' }).click();
    await page.getByRole('searchbox').fill('acme');
    await page.waitForURL(/state\/users\?sort=email&reverse=true&contains=acme$/);

    await page.reload();

    await page.getByRole('button', { name: 'Sort by email, descending' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('acme');
    const emails = await page.locator('.stored').allInnerTexts();
    expect(emails.length).toBeGreaterThan(1);
    expect(emails.every((each) => each.includes('acme'))).toBe(true);
  });

  it('are sorted by a column, and lead to the rows that they name', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, 'default/state/memberships');
    const first = page.getByRole('listitem').first();
    const idOf = () => first.getByRole('link').first().locator('code').textContent();
    const before = await idOf();

    await page.getByRole('button', { name: 'Sort by id' }).click();
    await page.getByRole('button', { name: 'Sort by id, ascending' }).click();
    await page.getByRole('button', { name: 'Sort by id, descending' }).waitFor();
    await expect.poll(idOf).not.toBe(before);

    await first.locator('.reference').first().click();
    await page
      .getByText(/^org_\d+$/)
      .first()
      .waitFor();
  });
});
