import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { restOf } from './support/callers.ts';
import { openDashboard } from './support/dashboard.ts';
import { setStage, tokenOf, type Stage } from './support/stage.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

interface Journal {
  requests: { id: string }[];
}

/** Opens the latest call of the journal. */
async function openLatest(stage: Stage, env = 'default'): Promise<Page> {
  const { requests } = await stage.control<Journal>('GET', `/environments/${env}/requests?limit=1`);
  return openDashboard(stage, `${env}/request/${requests[0]!.id}`);
}

/** Calls `env` with the client of the environment, and opens the call. */
async function openCallIn(stage: Stage, env: string): Promise<Page> {
  const made = await stage.control<{ client_id: string; client_secret: string }>('POST', '/environments', {
    name: env,
  });
  const call = await restOf(stage, made);
  await call(ORGANIZATION, { headers: { 'x-api-key': 'a-secret-key' } });
  return openLatest(stage, env);
}

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

describe('repeating a call whose secrets the journal hides', () => {
  it('copies a command that gets a new token, without other headers that hold secrets', async () => {
    const stage = await setStage();
    const page = await openCallIn(stage, 'shop');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();

    const token = `npx understudy-server token --url ${stage.issuer} --environment shop`;
    expect(await copied(page)).toContain(`-H "authorization: Bearer $(${token})"`);
    expect(await copied(page)).not.toContain('[redacted]');
  });

  it('says that a call with a secret cannot be sent again, and how to see secrets', async () => {
    const stage = await setStage();
    await tokenOf(stage);
    const page = await openLatest(stage);
    const address = page.url();

    await page.getByRole('button', { name: 'Send again…' }).click();
    await page.getByRole('button', { name: 'Send it', exact: true }).click();

    await page.getByRole('alert').filter({ hasText: 'start Understudy with --no-redact' }).waitFor();
    expect(page.url()).toBe(address);
    const { requests } = await stage.control<Journal>('GET', '/requests?operation=OAuth_Token');
    expect(requests).toHaveLength(1);
  });

  it('sends such a call again if the journal shows secrets', async () => {
    const stage = await setStage({ config: { journal: { entries: 10, bytes: 100_000, redact: false } } });
    await tokenOf(stage);
    const page = await openLatest(stage);
    const address = page.url();

    await page.getByRole('button', { name: 'Send again…' }).click();
    await page.getByRole('button', { name: 'Send it', exact: true }).click();

    await page.waitForURL((url) => url.href !== address);
    await page.locator('.facts').getByText('200', { exact: true }).waitFor();
  });
});

it('the buttons of a call stay in their places while one says that the call is copied', async () => {
  const stage = await setStage();
  await tokenOf(stage);
  const page = await openLatest(stage);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const places = () =>
    page.evaluate(
      "[...document.querySelectorAll('main .actions button')].map((each) => JSON.stringify(each.getBoundingClientRect()))",
    );
  const before = await places();

  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();

  expect(await places()).toEqual(before);
});
