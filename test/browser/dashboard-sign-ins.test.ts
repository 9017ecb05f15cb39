import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sdkOf } from './support/callers.ts';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { setStage, tokenOf, type Stage } from './support/stage.ts';

const PAGE = 'default/sign-ins';
const RAVI = 'ravi@acme.example';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

const part = (page: Page, name: string) =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) });

/** Presses the button, and resolves to the tab that opens. */
async function openSignIn(page: Page): Promise<Page> {
  const tab = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Open the sign-in' }).click();
  return tab;
}

/** Opens the page with a user chosen, so that no page of the sign-in asks. */
async function openForRavi(stage: Stage): Promise<Page> {
  const page = await openDashboard(stage, PAGE);
  await page.getByLabel('User', { exact: true }).fill(RAVI);
  await page.getByLabel(/Skip the sign-in pages/).check();
  return page;
}

describe('the page of sign-ins', () => {
  it('signs a user in and shows the tokens, decoded and verified', async () => {
    const stage = await setStage();
    const page = await openForRavi(stage);

    const tab = await openSignIn(page);

    await heading(tab, 'Signed in').waitFor();
    const idToken = part(tab, 'ID token');
    await idToken.getByText(/The key .* of \/keys signed it/).waitFor();
    await idToken.getByText('It has the nonce of the sign-in.').waitFor();
    await idToken.getByText(RAVI).waitFor();
    await idToken.getByText(/^valid It expires in/).waitFor();
    const before = await part(tab, 'Refresh token').locator('pre').textContent();
    await tab.getByRole('button', { name: 'Refresh the tokens' }).click();
    await expect.poll(() => part(tab, 'Refresh token').locator('pre').textContent()).not.toBe(before);
    await tab.reload();
    await part(tab, 'Access token').waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
  });

  it('says that a token is expired by the clock of the environment, and that a changed one is not signed', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    const token = await tokenOf(stage);
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByText(/It expires in/).waitFor();
    await page.getByText(/of \/keys signed it/).waitFor();

    await stage.control('POST', '/clock/advance', { by: '30d' });
    await page.getByText(/It expired .* ago/).waitFor();
    const [header = '', , signature = ''] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ sub: MARKUP })).toString('base64url');
    await page.getByLabel('Token', { exact: true }).fill(`${header}.${claims}.${signature}`);

    await page.getByText(/did not sign it/).waitFor();
    await page.getByText(MARKUP).waitFor();
    await expectNoMarkup(page);
  });

  it('says that a text is no token', async () => {
    const page = await openDashboard(await setStage(), PAGE);

    await page.getByLabel('Token', { exact: true }).fill('hello');

    await page.getByText('This text is not a token.').waitFor();
    expect(await page.getByText('Only the service can read it').count()).toBe(0);
  });

  it.each([
    ['The application gets access_denied', 'access_denied: the user denied access'],
    ['The application gets server_error', 'server_error: the identity provider answered server_error'],
    ['An interceptor denies the session', 'access_denied: Please ask your administrator.'],
    ['The code is refused', 'invalid_grant: invalid code'],
    ['The sign-in is unavailable', 'the service is unavailable'],
  ])('lets the next sign-in fail: %s', async (failure, shown) => {
    const stage = await setStage();
    const page = await openForRavi(stage);
    await page.getByLabel('Failure').selectOption(failure);

    const tab = await openSignIn(page);

    await tab.getByText(shown).waitFor();
    await page.getByLabel('Failure').selectOption('None');
    const next = await openSignIn(page);
    await heading(next, 'Signed in').waitFor();
  });

  it('lets the page of a sign-in expire', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('Failure').selectOption('The sign-in page has expired');

    const tab = await openSignIn(page);

    await tab.getByText('this sign-in has expired: start again').waitFor();
  });

  it('signs another user in than the one who was asked for', async () => {
    const stage = await setStage();
    const page = await openForRavi(stage);
    await page.getByLabel('Failure').selectOption('Another user signs in');

    const tab = await openSignIn(page);

    await tab.getByText(`The sign-in was for ${RAVI}, but ada@acme.example has signed in.`).waitFor();
    await part(tab, 'ID token').getByText('ada@acme.example', { exact: true }).waitFor();
  });

  it('lets the link in the mail of a sign-in expire', async () => {
    const stage = await setStage();
    await stage.control('PATCH', '/state/connections/conn_10000000000000241', { enabled: true });
    await stage.control('PATCH', '/state/settings/settings', { passwordless_type: 'LINK' });
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('Failure').selectOption('The link in the mail has expired');

    const tab = await openSignIn(page);
    await tab.getByLabel('E-mail address').fill('yuki@lumen.example');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/\/code$/);
    const wait = '/mail/wait?to=yuki@lumen.example&timeout=2m';
    await tab.goto((await stage.control<{ link: string }>('GET', wait)).link);

    await tab.getByText('this link has expired: start again').waitFor();
  });

  it('begins at the identity provider and goes on in the dashboard', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    const missing = page.getByText('The application Understudy has no initiate_login_uri');
    await missing.getByRole('link', { name: 'initiate_login_uri' }).waitFor();
    await page.getByRole('button', { name: 'Send it to the dashboard' }).click();
    await page.getByText(/sends the browser of .* to the dashboard/).waitFor();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the identity provider' }).click();
    const provider = await opened;

    await provider.getByLabel('E-mail address').fill('ada@acme.example');
    await provider.getByRole('button', { name: 'Begin' }).click();
    await heading(provider, 'Started at the identity provider').waitFor();
    expect(await provider.getByLabel('User', { exact: true }).inputValue()).toBe('ada@acme.example');
    const tab = await openSignIn(provider);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();

    await part(tab, 'ID token').getByText('ada@acme.example').waitFor();
  });

  it('registers its address for a client that has addresses of its own', async () => {
    const stage = await setStage();
    const client = 'skc_10000000000000002';
    const page = await openForRavi(stage);
    await page.getByLabel('Client', { exact: true }).selectOption(client);

    await page.getByRole('button', { name: 'Register it' }).click();
    await page.getByRole('button', { name: 'Register it' }).waitFor({ state: 'detached' });
    const tab = await openSignIn(page);

    await heading(tab, 'Signed in').waitFor();
    await part(tab, 'ID token').getByText(client).first().waitFor();
  });

  it('lists sessions, shows when one ends, and revokes one or all of a user', async () => {
    const stage = await setStage();
    const page = await openForRavi(stage);
    const sdk = sdkOf(stage);
    const name = MARKUP.slice(0, 40);
    await stage.control('PATCH', '/state/organizations/org_10000000000000001', { display_name: name });
    await openSignIn(page);
    await page.getByLabel(/Filter by user/).fill(RAVI);
    const active = page.getByRole('article').filter({ has: page.getByText('active', { exact: true }) });
    const own = active.filter({ hasText: RAVI });
    await own.getByText(name).waitFor();
    await expectNoMarkup(page);

    const button = own.getByRole('button', { name: /^Revoke ses_/ });
    const [, id = ''] = /Revoke (ses_\d+)/.exec((await button.getAttribute('aria-label')) ?? '') ?? [];
    await button.click();
    await page.getByRole('button', { name: `Revoke ${id}` }).waitFor({ state: 'detached' });
    expect((await sdk.session.getSession(id)).status).toBe('revoked');
    await page.getByLabel(/Filter by user/).fill('nina@');
    await page.getByRole('button', { name: 'Revoke all of nina@nordwind.example' }).first().click();

    await page.getByText('revoked').first().waitFor();
    await expect.poll(() => active.count()).toBe(0);
  });

  it('shows that a session has expired when the clock is advanced', async () => {
    const stage = await setStage();
    const page = await openForRavi(stage);
    await part(await openSignIn(page), 'Access token').waitFor();
    await page
      .getByText(/expires in \d+/)
      .first()
      .waitFor();

    await stage.control('POST', '/clock/advance', { by: '400d' });

    await expect.poll(() => page.getByText(/expires in \d+/).count()).toBe(0);
  });

  it('shows what the server says of an address that it refuses', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('Redirect address').fill('https://elsewhere.example/callback');

    const tab = await openSignIn(page);

    await tab.getByText('the redirect_uri is missing in the client configuration').waitFor();
  });

  it('signs in to another environment', async () => {
    const stage = await setStage();
    await stage.control('POST', '/environments', { name: 'other' });
    const page = await openDashboard(stage, 'other/sign-ins');
    await page.getByLabel('User', { exact: true }).fill(RAVI);
    await page.getByLabel(/Skip the sign-in pages/).check();

    const tab = await openSignIn(page);

    await part(tab, 'ID token')
      .getByText(/of \/keys signed it/)
      .waitFor();
    expect(tab.url()).toContain('/_control/#/other/signed-in/');
  });

  it('shows markup of an error that comes back as text', async () => {
    const stage = await setStage();
    const came = new URLSearchParams({ error: 'access_denied', error_description: MARKUP }).toString();
    const page = await openDashboard(stage, `default/signed-in/${encodeURIComponent(came)}`);

    await page.getByText(MARKUP).waitFor();
    await expectNoMarkup(page);
  });

  it('needs no mouse', async () => {
    const stage = await setStage();
    const page = await openDashboard(stage, PAGE);
    await page.getByLabel('User', { exact: true }).focus();
    await page.keyboard.type(RAVI);
    await page.getByLabel(/Skip the sign-in pages/).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Open the sign-in' }).focus();
    const opened = page.waitForEvent('popup');
    await page.keyboard.press('Enter');

    await heading(await opened, 'Signed in').waitFor();
  });
});
