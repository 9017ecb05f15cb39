import { once } from 'node:events';
import { createServer } from 'node:http';
import { ScalekitClient } from '@scalekit-sdk/node';
import { expect, test as base } from 'understudy-server/playwright';
import { createApp } from './app.js';

const ACME = 'org_10000000000000001';

/** Serves the application with the settings of the test's environment. */
const test = base.extend({
  baseURL: async ({ env }, use) => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const appUrl = `http://localhost:${server.address().port}`;
    const { secret: webhookSecret } = await env.webhooks.addEndpoint(`${appUrl}/webhooks`);
    const { url, clientId, clientSecret } = env;
    const scalekit = { url, clientId, clientSecret, webhookSecret };
    server.on('request', createApp({ appUrl, sessionSecret: 'a secret for tests', scalekit }));
    await use(appUrl);
    server.closeAllConnections();
    server.close();
  },
});

async function signInAsRavi(page) {
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ravi' }).click();
}

/** Signs in without a browser, for calls that need an access token and no session. */
async function accessToken(env, email) {
  const client = new ScalekitClient(env.url, env.clientId, env.clientSecret);
  const redirectUri = 'http://localhost/callback';
  const url = client.getAuthorizationUrl(redirectUri, { loginHint: email });
  const { headers } = await fetch(`${url}&understudy_auto=1`, { redirect: 'manual' });
  const code = new URL(headers.get('location')).searchParams.get('code');
  return (await client.authenticateWithCode(code, redirectUri)).accessToken;
}

test('signs a user in and out', async ({ page }) => {
  await signInAsRavi(page);
  await expect(page.getByText('Signed in as ravi@acme.example of Acme Corp.')).toBeVisible();

  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();

  await expect(page.getByRole('button', { name: 'Ravi' })).toBeVisible();
});

test('says that the identity provider has refused the user', async ({ page, env }) => {
  await env.scenario('sign-in-denied', { error: 'user_not_active' });

  await page.goto('/login');

  await expect(page.getByRole('alert')).toHaveText('The sign-in was refused: user_not_active');
});

test('refuses a callback that another browser has started', async ({ request }) => {
  expect((await request.get('/callback?code=stolen&state=guessed')).status()).toBe(403);
});

test('asks to try again after a 429', async ({ page, env }) => {
  await env.scenario('rate-limit-once', { operation: 'OrganizationService_GetOrganization' });
  await signInAsRavi(page);
  await expect(page.getByRole('alert')).toHaveText('Something went wrong. Please try again.');

  await page.reload();

  await expect(page.getByText('of Acme Corp.')).toBeVisible();
});

test('the API wants a permission', async ({ request, env }) => {
  const invoices = async (token) => {
    const response = await request.get('/api/invoices', { headers: { authorization: `Bearer ${token}` } });
    return response.status();
  };

  expect(await invoices('no token')).toBe(401);
  expect(await invoices(await accessToken(env, 'nina@nordwind.example'))).toBe(403);
  expect(await invoices(await accessToken(env, 'ravi@acme.example'))).toBe(200);
});

test('a webhook renames the organization', async ({ page, env }) => {
  await signInAsRavi(page);
  await expect(page.getByText('of Acme Corp.')).toBeVisible();

  await env.state.patch('organizations', ACME, { display_name: 'Acme AG' }, { events: true });
  await env.webhooks.deliveries.wait({ type: 'organization.updated', status: 'SUCCESS' }, { timeout: '1m' });
  await page.reload();

  await expect(page.getByText('of Acme AG.')).toBeVisible();
});

test('refuses a webhook with a wrong signature', async ({ baseURL, env }) => {
  await env.scenario('webhook-wrong-signature');

  await env.state.patch('organizations', ACME, { display_name: 'Acme AG' }, { events: true });

  const delivery = await env.webhooks.deliveries.wait(
    { type: 'organization.updated', status: 'RETRYING' },
    { timeout: '1m' },
  );
  expect(delivery).toMatchObject({ url: `${baseURL}/webhooks`, attempts: [{ status: 401 }] });
});
