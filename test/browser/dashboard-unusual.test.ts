import { expect, it } from 'vitest';
import { openDashboard } from './support/dashboard.ts';
import { setStage } from './support/stage.ts';

const CREATE = 'OrganizationService_CreateOrganization';
const FAILURE = { name: 'no-room', rules: [{ on: CREATE, times: 1, reply: { error: 'rate_limited' } }] };
const SENTENCE = 'It changes the next call of “Create an organization”.';

it('a page says which scenario is active, and ends it', async () => {
  const stage = await setStage();
  await stage.control('POST', '/scenarios', FAILURE);
  const page = await openDashboard(stage, 'default/mail');
  const unusual = page.getByRole('list', { name: 'What is not normal' });
  await unusual.getByText(SENTENCE).waitFor();

  await unusual.getByRole('button', { name: 'End no-room' }).click();

  await unusual.waitFor({ state: 'detached' });
  expect(await stage.control('GET', '/scenarios')).toMatchObject({ loaded: [] });
});

it('a page says that the clock stands still, and lets it follow the machine', async () => {
  const stage = await setStage();
  await stage.control('PUT', '/clock', { mode: 'frozen', at: '2030-01-01T00:00:00Z' });
  const page = await openDashboard(stage, 'default/mail');
  const unusual = page.getByRole('list', { name: 'What is not normal' });
  await unusual.getByText('stands still').waitFor();

  await unusual.getByRole('button', { name: 'Put it back' }).click();

  await unusual.waitFor({ state: 'detached' });
  expect(await stage.control('GET', '/clock')).toMatchObject({ mode: 'real' });
});

it('a scenario that is used up stands apart, and is no longer on every page', async () => {
  const stage = await setStage();
  await stage.control('POST', '/scenarios', FAILURE);
  const page = await openDashboard(stage, 'default/scenarios');
  const unusual = page.getByRole('list', { name: 'What is not normal' });
  await unusual.getByText(SENTENCE).waitFor();

  const call = stage.api('POST', '/api/v1/organizations', { display_name: 'Acme Two' });
  await expect(call).rejects.toThrow('429');

  await unusual.waitFor({ state: 'detached' });
  const usedUp = page.getByRole('region', { name: 'Used up' });
  await usedUp.getByText('Used up: it has changed 1 call of “Create an organization”.').waitFor();
});
