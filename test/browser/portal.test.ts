import { describe, expect, it } from 'vitest';
import { openWindow, setStage, type Stage } from './support/stage.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

async function portalLink({ api }: Stage): Promise<string> {
  const path = `/api/v1/organizations/${NORDWIND}/portal_links?features=sso&features=dir_sync`;
  return (await api<{ link: { location: string } }>('PUT', path)).link.location;
}

describe('the admin portal', () => {
  it('opens once by its link, and changes that organization', async () => {
    const stage = await setStage();
    const page = await openWindow({ javaScriptEnabled: false });
    const link = await portalLink(stage);

    await page.goto(link);
    await page.getByText('Add a domain').click();
    await page.getByLabel('Domain name').fill('shop.example');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('shop.example').first().waitFor();

    const { rows } = await stage.control<{ rows: object[] }>('GET', '/state/domains');
    expect(rows.at(-1)).toMatchObject({ organization_id: NORDWIND, domain: 'shop.example' });
    expect((await page.goto(new URL('/portal', stage.issuer).href))?.status()).toBe(200);
    const other = await openWindow();
    expect((await other.goto(link))?.status()).toBe(410);
  });

  it('expires after six hours of the clock', async () => {
    const stage = await setStage();
    const page = await openWindow();
    await page.goto(await portalLink(stage));

    await stage.control('POST', '/clock/advance', { by: '6h' });

    expect((await page.goto(new URL('/portal', stage.issuer).href))?.status()).toBe(401);
  });

  it('works in a frame of the application, and posts events to it', async () => {
    const stage = await setStage();
    const page = await openWindow();
    const link = await portalLink(stage);
    // The same site as the simulator, like an application on a sibling domain: without TLS, browsers drop
    // third-party cookies in frames.
    const application = stage.party.url.replace('127.0.0.1', 'localhost');

    await page.goto(`${application}/frame?of=${encodeURIComponent(link)}`);
    const portal = page.frameLocator('iframe');
    await portal.getByText('Add a connection').click();
    await portal.getByLabel('Identity provider').selectOption({ index: 1 });
    await portal.getByRole('button', { name: 'Add connection' }).click();
    await portal.getByRole('link', { name: /overview/i }).waitFor();

    await page.locator('li').first().waitFor();
    const told = await page.locator('li').allTextContents();
    expect(told.every((each) => each.startsWith(`${stage.issuer} `))).toBe(true);
  });
});
