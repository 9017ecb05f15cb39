import { describe, it } from 'vitest';
import { ACME } from '../support/fixture-ids.ts';
import { openPort } from '../support/port.ts';
import { openDashboard } from './support/dashboard.ts';
import { openWindow, setStage } from './support/stage.ts';

describe('the filter of coverage', () => {
  it('says which operations with a text were called, and leads to those that were', async () => {
    const stage = await setStage();
    await stage.api('GET', `/api/v1/organizations/${ACME}`);
    const page = await openDashboard(stage, 'default/coverage');
    const list = page.getByRole('list', { name: 'Operations' });

    await page.getByLabel('Find').fill('OAuth_Token');
    await page.getByText('All that have this text were called.').waitFor();
    await page.getByRole('button', { name: 'Show it' }).click();
    await list.getByText('1 ×').waitFor();
    await page.getByLabel('Find').fill('UserService_');
    await list.getByText('not called').first().waitFor();
    await page.getByLabel('Show').selectOption('Called');
    await page.getByText('None that has this text was called yet.').waitFor();
    await page.waitForURL(/coverage\?(?=.*show=used)(?=.*find=UserService_)/);
    await page.reload();
    await page.getByText('None that has this text was called yet.').waitFor();
    await page.getByLabel('Find').fill('no such operation');
    await page.getByText('Nothing here has this text.').waitFor();
  });
});

describe('a part of the dashboard that is fetched when it is opened', () => {
  it('says that Understudy does not answer, and appears when it does', async () => {
    const first = await openPort();
    const page = await openWindow({ complains: true });
    await page.goto(`http://localhost:${first.port}/_control/`);
    await page.getByText('Live', { exact: true }).waitFor();

    await first.stop(0);
    await page.getByText('Understudy does not answer. Trying again…').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByText('Understudy does not answer. The page appears when it does.').waitFor();
    await openPort({ port: first.port });

    await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
    await page.getByText('The page appears when it does.').waitFor({ state: 'detached' });
  });
});

describe('the page of a call', () => {
  it('says that the journal does not have it, under its name', async () => {
    const page = await openDashboard(await setStage(), 'default/request/req_99');

    await page.getByRole('heading', { level: 1, name: 'Call req_99' }).waitFor();
    await page.getByText('The journal of default has no call req_99.').waitFor();
  });
});
