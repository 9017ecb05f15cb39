import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ScalekitClient } from '@scalekit-sdk/node';
import { expect, test as base } from 'understudy-server/playwright';

const NEXT = join(import.meta.dirname, 'node_modules/next/dist/bin/next');

/** Starts the built application with the settings of the test's environment. */
const test = base.extend({
  baseURL: async ({ env }, use) => {
    const port = await freePort();
    const appUrl = `http://localhost:${port}`;
    const { secret } = await env.webhooks.addEndpoint(`${appUrl}/webhooks`);
    const app = spawn(process.execPath, [NEXT, 'start', '--port', port], {
      cwd: import.meta.dirname,
      env: {
        ...process.env,
        APP_URL: appUrl,
        SESSION_SECRET: 'a secret of at least 32 characters',
        SCALEKIT_ENVIRONMENT_URL: env.url,
        SCALEKIT_CLIENT_ID: env.clientId,
        SCALEKIT_CLIENT_SECRET: env.clientSecret,
        SCALEKIT_WEBHOOK_SECRET: secret,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((ready) => {
      app.stdout.on('data', (text) => String(text).includes('Ready') && ready());
    });
    await use(appUrl);
    app.kill();
    await once(app, 'close');
  },
});

async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

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

  await expect(page.getByText('The sign-in was refused: user_not_active')).toBeVisible();
});

test('asks to try again after a 429', async ({ page, env }) => {
  await env.scenario('rate-limit-once', { operation: 'OrganizationService_GetOrganization' });
  await signInAsRavi(page);
  await expect(page.getByText('Something went wrong. Please try again.')).toBeVisible();

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

test('takes a webhook, unless its signature is wrong', async ({ baseURL, env }) => {
  const url = `${baseURL}/webhooks`;
  await env.scenario('webhook-wrong-signature');
  await env.webhooks.trigger('user.login');
  await env.webhooks.trigger('organization.updated');

  const refused = await env.webhooks.deliveries.wait(
    { type: 'user.login', status: 'RETRYING' },
    { timeout: '1m' },
  );
  const taken = await env.webhooks.deliveries.wait(
    { type: 'organization.updated', status: 'SUCCESS' },
    { timeout: '1m' },
  );

  expect(refused).toMatchObject({ url, attempts: [{ status: 401 }] });
  expect(taken).toMatchObject({ url, attempts: [{ status: 204 }] });
});
