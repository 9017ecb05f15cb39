import { describe, expect, it } from 'vitest';
import { askToken, authorizeUrl, CALLBACK, exchange, REPORTING } from '../support/resources.ts';
import { bootPort, connectAgent, instanceUrl } from '../support/mcp.ts';
import { TASK_SERVER } from '../support/fixture-ids.ts';

const fresh = bootPort();

/** An environment with this scenario loaded, and how its addresses name the protected resource. */
async function loaded(name: string, params?: object) {
  const booted = await fresh();
  await booted.control
    .post('/scenarios')
    .send({ name, ...(params && { params }) })
    .expect(201);
  return { ...booted, resource: `${booted.own.name}.${TASK_SERVER}` };
}

const CLIENT = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };

describe('scenarios for clients of MCP servers', () => {
  it('consent-denied goes back to the client with access_denied and its state', async () => {
    const { anonymous, resource } = await loaded('consent-denied', { times: 1 });
    const url = authorizeUrl(resource, {
      client_id: REPORTING.client_id,
      redirect_uri: 'https://agent.example/cb',
    });

    const { headers } = await anonymous.get(url).set('host', 'sim.test').expect(302);
    const next = await anonymous.get(url).expect(400); // not an address of this client
    const metadata = `/.well-known/oauth-authorization-server/resources/${resource}`;
    const { body } = await anonymous.get(metadata).set('host', 'sim.test').expect(200);

    const location = new URL(headers['location']!);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the user denied the request',
      state: 'kept',
      iss: body.issuer,
    });
    expect(location.href).toMatch(/^https:\/\/agent\.example\/cb\?/);
    expect(next.text).toContain('redirect_uri is missing');
  });

  it('consent-denied leaves a state alone that would have to be encoded', async () => {
    const { anonymous, resource } = await loaded('consent-denied');

    await anonymous.get(authorizeUrl(resource, { client_id: 'm2m_1', state: 'a+b=&c' })).expect(400);
  });

  it('registration-refused answers 403 with an OAuth error', async () => {
    const { anonymous, resource } = await loaded('registration-refused', { times: 1 });
    const register = () => anonymous.post(`/api/v1/resources/${resource}/clients:register`).send(CLIENT);

    const { body } = await register().expect(403);
    await register().expect(201);

    expect(body).toMatchObject({
      error: 'access_denied',
      error_description: 'registration of clients is refused',
    });
  });

  it('metadata-unreachable answers 503 to every kind of metadata', async () => {
    const { api, anonymous, resource } = await loaded('metadata-unreachable');
    const { body } = await api.get('/api/v1/mcp/configs').expect(200);
    const server = new URL(body.configs[0].mcp_server_url as string).pathname;

    for (const path of [
      `/.well-known/oauth-protected-resource/resources/${resource}`,
      `/.well-known/oauth-authorization-server/resources/${resource}`,
      `/resources/${resource}/.well-known/oauth-authorization-server`,
      `/.well-known/oauth-protected-resource${server}`,
    ])
      await anonymous.get(path).expect(503);
  });

  it('client-forgotten answers invalid_client, then serves', async () => {
    const { anonymous, resource } = await loaded('client-forgotten');
    const form = exchange(REPORTING.client_id, 'x');

    const first = await askToken(anonymous, resource, form).expect(401);
    const second = await askToken(anonymous, resource, { ...form, ...REPORTING }).expect(400);

    expect([first.body.error, second.body.error]).toEqual(['invalid_client', 'invalid_grant']);
  });

  it('mcp-session-lost answers 404 to one request of a session', async () => {
    const { api, at } = await loaded('mcp-session-lost');
    const { client } = await connectAgent(at(await instanceUrl(api)));

    await expect(client.listTools()).rejects.toThrow('Session not found');

    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });
});
