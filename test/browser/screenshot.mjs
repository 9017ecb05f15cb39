// Makes docs/dashboard.png, the picture in README.md. Run it after `npm run build`, from the root of the repository:
//   node test/browser/screenshot.mjs
import { chromium } from 'playwright-core';
import { startUnderstudy } from '../../dist/testing.js';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

const sim = await startUnderstudy();
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH
    ? { executablePath: process.env.CHROMIUM_PATH }
    : { executablePath: '/usr/bin/chromium' }),
  args: ['--no-sandbox'],
});
try {
  const env = await sim.environment({ name: 'shop' });
  await env.scenario('rate-limit-once', { operation: 'OrganizationService_*' });
  const token = await accessToken(env);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const change = { method: 'PATCH', headers, body: JSON.stringify({ display_name: 'Acme Two' }) };
  await fetch(env.url + ORGANIZATION, change);
  const [failed] = await env.requests.list({ status: 429 });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(`${env.url}/_control/#/shop/request/${failed.id}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Why this answer' }).waitFor();
  await page.screenshot({ path: 'docs/dashboard.png' });
} finally {
  await browser.close();
  await sim.stop();
}

async function accessToken({ url, clientId, clientSecret }) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: form });
  return (await answer.json()).access_token;
}
