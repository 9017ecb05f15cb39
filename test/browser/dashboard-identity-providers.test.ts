import { expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { setStage } from './support/stage.ts';

interface Idp {
  groups: { name: string }[];
  users: { email: string; active: boolean }[];
}

it('an identity provider does everything from its page', async () => {
  const stage = await setStage();
  const page = await openDashboard(stage, 'default/identity-providers');
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const act = async (action: string, texts: Record<string, string>, pushed: RegExp) => {
    await field('Action').selectOption(action);
    for (const [label, text] of Object.entries(texts)) await field(label).fill(text);
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByRole('status').getByText(pushed).first().waitFor();
  };
  const okta = async () => (await stage.control<{ providers: Idp[] }>('GET', '/idp')).providers[0]!;

  await act(
    'Create the person',
    { Person: 'mia@acme.example', 'Given name': 'Mia', Groups: 'Sales, Legal' },
    /POST \/Users/,
  );
  await act('Move the person between groups', { Groups: 'Legal' }, /PATCH \/Groups/);
  await act('Rename the person, or change the e-mail address', { 'Given name': 'Maria' }, /PUT \/Users/);
  await act('Send a PATCH for the person', { PATCH: '' }, /remove needs a path/);
  await act('Create a group', { Group: 'Ops' }, /group Ops/);
  await act('Rename a group', { Group: 'Ops', 'New name': 'DevOps' }, /group DevOps/);
  await act('Delete a group', { Group: 'Sales' }, /DELETE \/Groups/);
  await act('Offboard the person', { Person: 'ada@acme.example' }, /user ada@acme\.example/);

  const { groups, users } = await okta();
  const names = groups.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Legal', 'DevOps']));
  expect(names).not.toEqual(expect.arrayContaining(['Sales']));
  expect(users.find(({ email }) => email === 'ada@acme.example')).toMatchObject({ active: false });

  await field('Action').selectOption('Send a PATCH for the person');
  await field('PATCH').fill('{');
  await page.getByRole('button', { name: 'Do it' }).click();
  await page.getByText('PATCH: a JSON object expected').waitFor();
});
