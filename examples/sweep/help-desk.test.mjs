import { once } from 'node:events';
import { createServer } from 'node:http';
import { understudyTest } from 'understudy-server/vitest';
import { expect, onTestFinished } from 'vitest';

const { createHelpDesk } = await import(
  process.env.HELP_DESK === 'careful' ? './careful.mjs' : './careless.mjs'
);

const test = understudyTest({ fixture: 'small' });

const ACME = 'org_10000000000000001';
const INBOX = 'ca_10000000000000301';

test('an account is opened', async ({ env }) => {
  const id = await createHelpDesk(env).openAccount('Initech', 'crm-1');

  expect(id).toMatch(/^org_/);
});

test('all accounts are listed', async ({ env }) => {
  expect(await createHelpDesk(env).accountNames()).toContain('Acme Corp');
});

test('an account has a name', async ({ env }) => {
  expect(await createHelpDesk(env).accountName(ACME)).toBe('Acme Corp');
});

test('an account has domains', async ({ env }) => {
  expect(await createHelpDesk(env).domainsOf(ACME)).toContain('acme.example');
});

test('an account is renamed', async ({ env }) => {
  await createHelpDesk(env).rename(ACME, 'Acme Limited');

  expect(await env.state.get('organizations', ACME)).toMatchObject({ display_name: 'Acme Limited' });
});

test('a mail is sent from a connected inbox', async ({ env }) => {
  expect(await createHelpDesk(env).sendMail(INBOX, 'hello')).toBe('sent');
});

test('a new customer gets a link', async ({ env }) => {
  const desk = createHelpDesk(env);
  await receive(desk, env);

  const id = await desk.openAccount('Globex', 'crm-2');

  await env.webhooks.deliveries.waitForCount(1, { status: 'SUCCESS' });
  expect(await env.state.list('portal_links', { where: { organization_id: id } })).not.toEqual([]);
});

/** Serves the webhooks of the environment. */
async function receive(desk, env) {
  let secret;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const refused = await desk.receive(body, request.headers, secret).catch((error) => error);
    response.statusCode = refused ? 400 : 204;
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address();
  ({ secret } = await env.webhooks.addEndpoint(`http://127.0.0.1:${port}`, {
    eventTypes: ['organization.*'],
  }));
}
