import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restOf, sdkOf } from './support/callers.ts';
import { expectNoMarkup, MARKUP, openDashboard } from './support/dashboard.ts';
import { connectAgent, RESEARCH } from '../support/mcp.ts';
import { openWindow, setStage, tokenOf, type Stage } from './support/stage.ts';

interface JournalLine {
  id: string;
  calls?: string[];
}

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

const INVITE = '/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend';

/** An interceptor that allows everything, as soon as `answer` is called. */
async function slowInterceptor() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const answer = async () =>
    (await asked)[1].setHeader('content-type', 'application/json').end('{"decision":"ALLOW"}');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, answer };
}

const section = (page: Page, name: string) =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) });

/** Opens the latest call of the journal. */
async function openLatest(stage: Stage): Promise<Page> {
  const { requests } = await stage.control<{ requests: { id: string }[] }>('GET', '/requests?limit=1');
  return openDashboard(stage, `default/request/${requests[0]!.id}`);
}

describe('one call in the dashboard', () => {
  it('says how faithful its answer is, on request', async () => {
    const stage = await setStage();
    await stage.api('GET', '/api/v1/roles');
    const page = await openLatest(stage);

    await page.getByText('How faithful is this answer?').click();

    await page.getByText('Driven by Official SDK for Node').waitFor();
    await page.getByRole('link', { name: 'What these words mean' }).click();
    await page.getByRole('heading', { level: 1, name: 'How faithful is it?' }).waitFor();
  });

  it('names the call that made it, and the calls that it made', async () => {
    const stage = await setStage();
    const { instance } = await stage.api<{ instance: { url: string } }>(
      'POST',
      '/api/v1/mcp/instances',
      RESEARCH,
    );
    const search = { name: 'exa_search', arguments: { query: 'bees' } };
    const { client } = await connectAgent(instance.url);
    await client.callTool(search);
    const { requests } = await stage.control<{ requests: JournalLine[] }>('GET', '/requests');
    const message = requests.find(({ calls }) => calls)!;
    const page = await openDashboard(stage, `default/request/${message.id}`);

    const related = section(page, 'Related calls');
    await related.getByText('This call made the call').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'ToolService_ExecuteTool' }).waitFor();
    await related.getByText('made this call').getByRole('link').click();

    await page.getByRole('heading', { level: 1, name: 'McpServer_SendMessage' }).waitFor();
  });

  it('shows what was passed on to a provider, and its answer', async () => {
    const provider = createServer((_, response) => {
      response.writeHead(203, { 'content-type': 'application/json' }).end('{"login":"octocat"}');
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    onTestFinished(() => void provider.close());
    const { port } = provider.address() as AddressInfo;
    const stage = await setStage({ config: { proxyTo: [`gmail=http://127.0.0.1:${port}`] } });
    const token = await tokenOf(stage);
    const account = { connection_name: 'gmail', identifier: 'default' };
    await fetch(`${stage.issuer}/proxy/v1/me`, { headers: { authorization: `Bearer ${token}`, ...account } });
    const page = await openLatest(stage);

    const related = section(page, 'Related calls');
    await related.getByText('passed on to gmail').click();

    await related.getByText('octocat').waitFor();
    await related.getByText(`GET http://127.0.0.1:${port}/v1/me`).waitFor();
  });

  it('names the events and deliveries that it caused', async () => {
    const stage = await setStage();
    await stage.control('POST', '/webhooks/endpoints', { kind: 'inbox' });
    await stage.api('POST', '/api/v1/organizations', { display_name: 'Caused Ltd' });
    const page = await openDashboard(stage, 'default/requests');
    await page.getByRole('link', { name: 'OrganizationService_CreateOrganization' }).click();

    const events = section(page, 'Events and deliveries');
    const caused = events.getByRole('listitem').filter({ hasText: 'organization.created' });
    await caused.filter({ hasText: 'delivery' }).waitFor();
    await caused.filter({ hasText: 'evt_' }).getByRole('link').click();

    await page.waitForURL(/#\/default\/row\/events\/evt_/);
  });

  it('shows changed rows with old and new values', async () => {
    const stage = await setStage();
    const call = await restOf(stage);
    const body = { display_name: 'Acme Two', metadata: { plan: 'paid' } };
    expect(await call(ORGANIZATION, { method: 'PATCH', body })).toBe(200);
    const page = await openLatest(stage);

    const renamed = section(page, 'Changed rows').locator('tr', { hasText: '"Acme Corp"' });
    await renamed.waitFor();

    expect(await renamed.locator('del').textContent()).toBe('"Acme Corp"');
    expect(await renamed.locator('ins').textContent()).toBe('"Acme Two"');
    const row = section(page, 'Changed rows').getByText(/^changed organizations org_\d+ Acme Two$/);
    await row.waitFor();
    await section(page, 'Changed rows').getByRole('link', { name: 'Open the row org_' }).click();
    await page.waitForURL(/#\/default\/row\/organizations\/org_10000000000000001/);
  });

  it('shows removed rows with what they were, and no secret', async () => {
    const stage = await setStage();
    const call = await restOf(stage);
    const made = await stage.api<{ client: { client_id: string }; plain_secret: string }>(
      'POST',
      `${ORGANIZATION}/clients`,
      { name: 'Importer' },
    );
    const { client_id } = made.client;
    expect(await call(`${ORGANIZATION}/clients/${client_id}`, { method: 'DELETE' })).toBe(200);
    const page = await openLatest(stage);

    const removed = section(page, 'Changed rows').locator('details', { hasText: client_id });
    await removed.getByText('removed', { exact: true }).waitFor();

    expect(await removed.locator('del', { hasText: '"Importer"' }).count()).toBe(1);
    expect(await removed.locator('tr', { hasText: 'secrets' }).textContent()).toContain('[redacted]');
    expect(await page.content()).not.toContain(made.plain_secret);
    expect(await removed.locator('ins').count()).toBe(0);
  });

  it('shows the answer of a call that had none when it was opened', async () => {
    const { url, asked, answer } = await slowInterceptor();
    const stage = await setStage();
    const settings = { api_url: url, trigger_point: 'PRE_USER_INVITATION', timeout_ms: 30_000 };
    await stage.control('PATCH', '/state/interceptors/icp_10000000000000901', settings);
    const called = stage.api('PATCH', INVITE, {});
    await asked;
    const page = await openLatest(stage);
    await page.getByText('not answered yet').waitFor();

    await answer();
    await called;

    await page.locator('.facts').getByText('200', { exact: true }).waitFor();
    await section(page, 'Changed rows').getByText('memberships mem_').first().waitFor();
  });

  it('decodes an RPC, and shows what broke the contract and what the contract does not know', async () => {
    const stage = await setStage();
    await sdkOf(stage).organization.getOrganization('org_10000000000000001');
    const rpc = await openLatest(stage);
    await section(rpc, 'Response').getByText('"display_name": "Acme Corp"').waitFor();
    await rpc.getByText('/api/v1/organizations/org_10000000000000001').first().waitFor();
    await rpc.getByText(/· grpc ·/).waitFor();

    const call = await restOf(stage);
    const body = { display_name: '', colour: 'blue' };
    expect(await call('/api/v1/organizations', { method: 'POST', body })).toBe(400);
    const broken = await openLatest(stage);
    const why = section(broken, 'Why this answer');
    await why.getByText('The contract has no field colour.').waitFor();
    await why
      .getByText(/display_name/)
      .first()
      .waitFor();
  });

  it('shows the beginning of a body that could not be read', async () => {
    const stage = await setStage();
    const answer = await fetch(`${stage.issuer}/api/v1/organizations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"display_name": "Half',
    });
    expect(answer.ok).toBe(false);
    const page = await openLatest(stage);

    await section(page, 'Request').getByText('Understudy could not read the body.').waitFor();
    await page.getByLabel('Request body').getByText('{"display_name": "Half').waitFor();
  });

  it('shows markup of headers, bodies and changed rows as text', async () => {
    const stage = await setStage();
    const call = await restOf(stage);
    const headers = { 'x-note': MARKUP };
    const body = { display_name: MARKUP };
    expect(await call(ORGANIZATION, { method: 'PATCH', body, headers })).toBe(200);
    const page = await openLatest(stage);

    await section(page, 'Request').getByText(MARKUP, { exact: true }).waitFor();
    await section(page, 'Changed rows').locator('ins', { hasText: 'onerror' }).first().waitFor();

    await expectNoMarkup(page);
  });
});

describe('the coverage report in the dashboard', () => {
  it('is saved where the server wants a control token, too', async () => {
    const stage = await setStage({ config: { controlToken: 'sesame' } });
    const page = await openWindow();
    await page.goto(`${stage.issuer}/_control/#/default/coverage`);
    await page.getByLabel('Token').fill('sesame');
    await page.getByRole('button', { name: 'Unlock' }).click();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the whole report' }).click();

    expect((await saved).suggestedFilename()).toBe('coverage-default.html');
  });
});
