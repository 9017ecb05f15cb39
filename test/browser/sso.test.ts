import { describe, expect, it } from 'vitest';
import { back, hasHeading, signIn } from './support/pages.ts';
import { openWindow, setStage } from './support/stage.ts';
import { OKTA } from '../support/fixture-ids.ts';

describe('single sign-on', () => {
  it('redirects a user of the domain to the identity provider, and signs the user in', async () => {
    const { party } = await setStage();
    const page = await openWindow();

    await page.goto(`${party.url}/login?domain_hint=acme.example`);
    await hasHeading(page, /^Sign in with Okta/i);
    await page.getByRole('button', { name: 'ada@acme.example' }).click();
    await back(page, party);

    expect(party.claims).toMatchObject({
      email: 'ada@acme.example',
      oid: 'org_10000000000000001',
      amr: [OKTA],
    });
  });

  it('creates a user for a new person of the domain, with the attributes from the provider', async () => {
    const { party } = await setStage();
    const page = await openWindow();

    await page.goto(`${party.url}/login?organization_id=org_10000000000000001`);
    await page.getByLabel('E-mail address').fill('grace@acme.example');
    await page.getByLabel('Given name').fill('Grace');
    await page.getByLabel('Family name').fill('Hopper');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await back(page, party);

    expect(party.claims).toMatchObject({ email: 'grace@acme.example', name: 'Grace Hopper' });
  });

  it('redirects an error of the provider to the application', async () => {
    const { party } = await setStage();
    const page = await openWindow();

    await page.goto(`${party.url}/login?connection_id=${OKTA}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await back(page, party);

    expect(await page.textContent('p')).toBe('access_denied: the user denied the sign-in');
  });

  it('can start at the identity provider, and the application continues', async () => {
    const { issuer, party, control } = await setStage();
    await control('PATCH', '/state/clients/skc_1000000000000000001', {
      initiate_login_uri: `${party.url}/initiate`,
    });
    const page = await openWindow();

    await page.goto(`${issuer}/ui/identity-provider/connections/${OKTA}`);
    await page.getByLabel('E-mail address').fill('ravi@acme.example');
    await page.getByRole('button').first().click();
    await page.getByRole('button', { name: 'ravi@acme.example' }).click();
    await back(page, party);

    expect(party.claims).toMatchObject({ email: 'ravi@acme.example' });
  });
});

describe('signing out', () => {
  it('ends the session, so that refresh tokens are rejected, and redirects to the application', async () => {
    const { party } = await setStage();
    const page = await openWindow();
    await signIn(page, party);

    await page.goto(`${party.url}/logout`);

    expect(page.url()).toBe(`${party.url}/home?state=bye`);
    await expect(party.refresh()).rejects.toMatchObject({ error: 'invalid_grant' });
    await page.goto(`${party.url}/login?prompt=none`);
    expect(await page.textContent('p')).toMatch(/^login_required/);
  });
});
