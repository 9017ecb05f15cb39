import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from '@understudy/client/control';
import { HAS_POSTGRES, Postgres } from '../support/postgres.ts';
import { startPeers, startReplica } from '../support/replicas.ts';
import { openWindow, setStage } from './support/stage.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const nameOf = (number: number) => `rest-${String(number).padStart(3, '0')}`;

describe.skipIf(!HAS_POSTGRES)('the environments of a database in the dashboard', () => {
  it('are those of every process', async () => {
    const [one, other] = await startPeers(await postgres.database());
    await other.control.post('/environments').send({ name: 'elsewhere', persist: true }).expect(201);
    const page = await openWindow();

    await page.goto(`${one.url}/_control/#/default/environments`);

    await page.getByRole('link', { name: 'elsewhere', exact: true }).waitFor();
  });

  it('come in pages if no process has used them yet', async () => {
    const store = await postgres.database();
    const earlier = await startReplica(store);
    const { environments } = new ControlClient(earlier.url);
    for (let number = 1; number <= 26; number += 1)
      await environments.create({ name: nameOf(number), persist: true });
    await earlier.close();
    const replica = await startReplica(store);
    const page = await openWindow();

    await page.goto(`${replica.url}/_control/#/default/environments`);
    await page.getByRole('link', { name: nameOf(25) }).waitFor();
    expect(await page.getByRole('link', { name: nameOf(26) }).count()).toBe(0);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: nameOf(26) }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Previous page' }).click();

    await page.getByRole('link', { name: nameOf(1) }).waitFor();
  });
});

describe('the environments that are kept for tests, in the dashboard', () => {
  it('are found by the name of the test, which leads to their calls', async () => {
    const stage = await setStage();
    for (const name of ['one', 'two']) await stage.control('POST', '/environments', { name });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/#/default/environments`);
    await page.getByRole('heading', { name: 'All environments' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Kept for tests' }).count()).toBe(0);

    const role = 'roles.test.ts > a role > is created';
    await stage.control('POST', '/environments/one/keep', { test: role, outcome: 'failed' });
    await stage.control('POST', '/environments/two/keep', { test: 'users.test.ts > ok', outcome: 'passed' });

    const tests = page.getByRole('list', { name: 'Kept for tests' }).getByRole('listitem');
    await expect
      .poll(() => tests.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^users\.test\.ts > ok passed two, /),
        expect.stringMatching(/^roles\.test\.ts > a role > is created failed one, /),
      ]);
    await page.getByRole('searchbox', { name: 'Search the tests' }).fill('CREATED role');
    await tests.filter({ hasText: 'users' }).waitFor({ state: 'detached' });
    await page.waitForURL(/environments\?test=CREATED\+role$/);
    await page.reload();
    await tests.filter({ hasText: role }).waitFor();
    expect(await tests.count()).toBe(1);
    await page.getByRole('link', { name: role }).click();
    await page.waitForURL(/#\/one\/requests/);
  });
});
