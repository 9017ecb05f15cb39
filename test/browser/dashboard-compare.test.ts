import { expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { setStage } from './support/stage.ts';

const ACME = '/state/organizations/org_10000000000000001';
const NORDWIND = '/state/organizations/org_10000000000000002';
const GLOBEX = { display_name: 'Globex', region_code: 'US', metadata: {} };

it('shows which rows differ from a snapshot, member by member', async () => {
  const stage = await setStage();
  await stage.control('POST', '/snapshots', { name: 'before' });
  await stage.control('PATCH', ACME, { slug: 'acme-ag' });
  await stage.control('PUT', '/state/organizations/org_1', GLOBEX);
  const page = await openDashboard(
    stage,
    'default/compare?left=snapshot%3Abefore&right=environment%3Adefault',
  );

  await page.getByText('1 row added, 1 row changed').waitFor();
  const slug = page
    .getByRole('table', { name: /org_10000000000000001$/ })
    .getByRole('row', { name: /^slug/ });
  expect(await slug.locator('del').textContent()).toBe('"acme"');
  expect(await slug.locator('ins').textContent()).toBe('"acme-ag"');
  await stage.control('DELETE', NORDWIND);
  await page.getByText(/rows removed/).waitFor();
});

it('hides secrets', async () => {
  const stage = await setStage();
  await stage.control('POST', '/snapshots', { name: 'before' });
  const token = 'a-secret-nobody-should-see';
  await stage.control('PATCH', '/state/memberships/mem_10000000000000006', { invitation_token: token });
  const page = await openDashboard(
    stage,
    'default/compare?left=snapshot%3Abefore&right=environment%3Adefault',
  );

  const changed = page.getByRole('row', { name: /^invitation_token/ });
  await changed.getByText('[hidden]').first().waitFor();

  expect(await page.getByText(token).count()).toBe(0);
});

it('compares two environments with the keyboard alone', async () => {
  const stage = await setStage();
  await stage.control('POST', '/environments/default/fork', { name: 'other' });
  await stage.control('PATCH', `/environments/other${ACME}`, { slug: 'elsewhere' });
  const page = await openDashboard(stage, 'default/environments');
  await page.getByRole('link', { name: 'Compare' }).waitFor();
  let keys = 0;
  const tabTo = async (name: string, role: 'link' | 'combobox') => {
    const wanted = page.getByRole(role, { name, exact: true });
    for (; !(await wanted.evaluate((each) => each.matches(':focus'))); keys += 1)
      await page.keyboard.press('Tab');
  };

  await tabTo('Compare', 'link');
  await page.keyboard.press('Enter');
  await page
    .getByText(/row.* changed/)
    .first()
    .waitFor();
  const row = page.getByRole('table', { name: /org_10000000000000001$/ }).getByRole('row', { name: /^slug/ });

  expect(await row.locator('ins').textContent()).toBe('"elsewhere"');
  await tabTo('To', 'combobox');
  console.info(`to compare two environments: ${keys + 1} keys`);
});

it('keeps the page when another environment is chosen', async () => {
  const stage = await setStage();
  await stage.control('POST', '/environments/default/fork', { name: 'other' });
  const page = await openDashboard(stage, 'default/row/organizations/org_10000000000000001');

  await page.getByRole('combobox', { name: 'Environment' }).selectOption('other');

  await page.waitForURL(/#\/other\/row\/organizations\/org_10000000000000001/);
  await page.getByRole('heading', { level: 1, name: 'Acme Corp' }).waitFor();
  await page.goto(`${stage.issuer}/_control/#/other/requests?status=4xx`);
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('default');
  await page.waitForURL(/#\/default\/requests\?status=4xx/);
});

it('forgets the snapshot of a comparison when another environment is chosen', async () => {
  const stage = await setStage();
  await stage.control('POST', '/environments/default/fork', { name: 'other' });
  await stage.control('POST', '/snapshots', { name: 'before' });
  const page = await openDashboard(
    stage,
    'default/compare?left=snapshot%3Abefore&right=environment%3Adefault',
  );
  await page.getByText('The rows are the same.').waitFor();

  await page.getByRole('combobox', { name: 'Environment' }).selectOption('other');

  await page.waitForURL(/#\/other\/compare\?right=environment%3Adefault$/);
  await page
    .getByRole('status')
    .getByText(/same|changed|added/)
    .waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});
