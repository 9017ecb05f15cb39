import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { receiver, type Answer } from '../support/receiver.ts';
import {
  askToken,
  authorizeUrl,
  CALLBACK,
  claimsOf,
  codeFor,
  exchange,
  registered,
} from '../support/resources.ts';
import { TASK_SERVER } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();

describe('Dynamic client registration', () => {
  const REGISTER = `/api/v1/resources/${TASK_SERVER}/clients:register`;

  it('answers everything that was registered, with a secret unless the client wants none', async () => {
    const booted = await fresh();
    const path = `${booted.own.name}.${TASK_SERVER}`;

    const open = await registered(booted, path, {
      scope: 'todo:read unknown',
      grant_types: ['authorization_code'],
    });
    const secret = await registered(booted, path, { token_endpoint_auth_method: undefined });

    expect(open).toMatchObject({
      client_id: expect.stringMatching(/^m2m_/),
      client_name: 'Laptop agent',
      redirect_uris: [CALLBACK],
      scope: 'todo:read',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      client_secret_expires_at: 0,
      resource_id: TASK_SERVER,
    });
    expect(open).not.toHaveProperty('client_secret');
    expect(secret).toMatchObject({
      client_secret: expect.any(String),
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const { body } = await booted.api.get(`/api/v1/resources/${TASK_SERVER}/clients`).expect(200);
    expect(body).toMatchObject({
      total_dcr_clients: 2,
      total_static_clients: 1,
      clients: [{ is_dcr: true }, {}, {}],
    });
  });

  it('lets a client with a secret use HTTP Basic at the token endpoint', async () => {
    const booted = await fresh();
    const path = `${booted.own.name}.${TASK_SERVER}`;
    const { client_id, client_secret = '' } = await registered(booted, path, {
      token_endpoint_auth_method: undefined,
    });
    const { client_id: _, ...form } = exchange(client_id, await codeFor(booted, path, { client_id }));

    await askToken(booted.anonymous, path, form).auth(client_id, client_secret).expect(200);
  });

  it.each([
    ['no redirect address', { redirect_uris: undefined }, 'invalid_redirect_uri'],
    ['an address that runs a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a star in an address', { redirect_uris: ['https://*.agent.example/callback'] }, 'invalid_redirect_uri'],
    ['a fragment in an address', { redirect_uris: [`${CALLBACK}#here`] }, 'invalid_redirect_uri'],
    ['too many addresses', { redirect_uris: Array<string>(101).fill(CALLBACK) }, 'invalid_redirect_uri'],
    ['an unknown method', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ['an unknown grant', { grant_types: ['implicit'] }, 'invalid_client_metadata'],
    ['another response type', { response_types: ['token'] }, 'invalid_client_metadata'],
  ])('is refused with %s', async (_, metadata, error) => {
    const { anonymous, control } = await fresh();
    const client = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', ...metadata };

    const { body } = await anonymous.post(REGISTER).send(client).expect(400);

    expect(body).toMatchObject({ code: 3, error, error_description: body.message });
    const { clients } = (await control.get('/state').expect(200)).body as { clients: { is_dcr?: true }[] };
    expect(clients.filter(({ is_dcr }) => is_dcr)).toEqual([]);
  });

  it('is refused if the resource does not allow it, and its metadata say so', async () => {
    const { api, anonymous } = await fresh();
    const closed = { disable_dynamic_client_registration: true };
    await api.patch(`/api/v1/resources/${TASK_SERVER}`).send(closed).expect(200);

    const refused = await anonymous
      .post(REGISTER)
      .send({ redirect_uris: [CALLBACK] })
      .expect(403);

    expect(refused.body).toMatchObject({ code: 7, error: 'access_denied' });
    const found = await anonymous
      .get(`/resources/${TASK_SERVER}/.well-known/oauth-authorization-server`)
      .expect(200);
    expect(found.body).not.toHaveProperty('registration_endpoint');
  });

  it('is not found at an address of another environment, even if that is gone', async () => {
    const { anonymous, control, own } = await fresh();
    const client = { redirect_uris: [CALLBACK] };
    const before = await control.get('/state/hash').expect(200);

    await anonymous.post(`/api/v1/resources/gone.${TASK_SERVER}/clients:register`).send(client).expect(404);
    const { body } = await anonymous
      .get(`/resources/gone.${TASK_SERVER}/.well-known/oauth-authorization-server`)
      .set({ 'understudy-environment': own.name })
      .expect(404);

    expect(JSON.stringify(body)).toContain(`resource gone.${TASK_SERVER} not found`);
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before.body);
  });

  it('is open to the pages of any origin, like the other paths of a sign-in', async () => {
    const { anonymous } = await fresh();
    const origin = 'http://localhost:6274';

    const { headers } = await anonymous
      .get(`/resources/${TASK_SERVER}/.well-known/oauth-authorization-server`)
      .set({ origin });
    const answer = await anonymous
      .post(REGISTER)
      .set({ origin })
      .send({ redirect_uris: [CALLBACK] })
      .expect(201);

    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });
});

describe('The metadata document of a client', () => {
  /** A server with the document of a client. `change` changes the document of its address. */
  async function aDocument(change: (document: Record<string, unknown>) => unknown = (same) => same) {
    const server = await receiver();
    const url = server.url.replace('/asked', '/client.json');
    const document = {
      client_id: url,
      client_name: 'Desk agent',
      redirect_uris: ['http://127.0.0.1/callback'],
    };
    const changed = change(document);
    server.answers(typeof changed === 'function' ? (changed as Answer) : (changed as object));
    return { url, server };
  }

  it('is read only if the list of the resource has it, as long as the list counts', async () => {
    const booted = await fresh();
    const path = `${booted.own.name}.${TASK_SERVER}`;
    const { url } = await aDocument();
    const parameters = { client_id: url, redirect_uri: 'http://127.0.0.1:5999/callback' };
    const allow = (
      entries: object[],
      isOn = true,
      mask = '?update_mask=cimd_client_allowlist,cimd_client_allowlist_enabled',
    ) =>
      booted.api
        .patch(`/api/v1/resources/${TASK_SERVER}${mask}`)
        .send({ cimd_client_allowlist: entries, cimd_client_allowlist_enabled: isOn });
    const OTHER = { type: 'URL', value: 'https://claude.ai/oauth*' };
    const refused = async () => (await new Browser(booted).open(authorizeUrl(path, parameters))).text;

    await allow([OTHER, { type: 'PREDEFINED', value: 'CLAUDE' }]).expect(200);
    expect(await refused()).toContain('cimd_client_allowlist');
    const unchanged = await allow([], false, '').expect(200);
    expect(unchanged.body.resource).toMatchObject({
      cimd_client_allowlist: [OTHER, { type: 'PREDEFINED', value: 'CLAUDE' }],
      cimd_client_allowlist_enabled: true,
    });
    await allow([OTHER], false).expect(200);
    await codeFor(booted, path, parameters);

    for (const value of [
      'http://a.example/x',
      'https://a.example',
      'https://*.example/x',
      'https://a.example/**x',
    ])
      await allow([{ type: 'URL', value }]).expect(400);
  });

  it('stands for a registration, and its address is the client id in the token', async () => {
    const booted = await fresh();
    const path = `${booted.own.name}.${TASK_SERVER}`;
    const { url, server } = await aDocument();
    const parameters = { client_id: url, redirect_uri: 'http://127.0.0.1:5999/callback' };

    const code = await codeFor(booted, path, parameters);
    const form = { ...exchange(url, code), redirect_uri: parameters.redirect_uri };
    const { body } = await askToken(booted.anonymous, path, form).expect(200);

    expect(claimsOf(body.access_token)).toMatchObject({ client_id: url, resid: TASK_SERVER });
    expect(server.received).toMatchObject([{ method: 'GET', path: '/client.json' }]);
    const calls = await booted.control.get('/requests?operation=OAuth_Authorize').expect(200);
    expect(calls.body.requests.at(-1).providers).toMatchObject([
      { provider: url, method: 'GET', url, status: 200, response: { body: { client_name: 'Desk agent' } } },
    ]);
    const { clients } = (await booted.api.get(`/api/v1/resources/${TASK_SERVER}/clients`).expect(200)).body;
    expect(clients[0]).toMatchObject({ name: 'Desk agent', is_cimd: true, is_dcr: false, metadata_uri: url });
    await askToken(booted.anonymous, path, {
      grant_type: 'refresh_token',
      client_id: url,
      refresh_token: body.refresh_token,
    }).expect(200);
  });

  const refusal = async (booted: Booted, client_id: string) => {
    const path = `${booted.own.name}.${TASK_SERVER}`;
    const page = await new Browser(booted).open(authorizeUrl(path, { client_id }));
    expect(page.status).toBe(400);
    return page.text;
  };

  it.each<[string, (document: Record<string, unknown>) => unknown, string]>([
    [
      'of another client',
      (document) => ({ ...document, client_id: 'https://other.example/c' }),
      'is not this address',
    ],
    ['with a secret', (document) => ({ ...document, client_secret: 'x' }), 'must describe a public client'],
    [
      'with a star in an address',
      (document) => ({ ...document, redirect_uris: ['https://*.agent.example/callback'] }),
      'without stars',
    ],
    ['without redirect addresses', (document) => ({ ...document, redirect_uris: [] }), 'redirect_uris in'],
    [
      'that is no JSON',
      () => (response: { end(text: string): void }) => response.end('hello'),
      'is not a JSON object',
    ],
    [
      'that is not found',
      () => (response: { writeHead(status: number): { end(): void } }) => response.writeHead(404).end(),
      'answered 404',
    ],
  ])('is refused: one %s', async (_, change, why) => {
    const booted = await fresh();
    const { url } = await aDocument(change);

    expect(await refusal(booted, url)).toContain(why);
    const path = authorizeUrl(`${booted.own.name}.${TASK_SERVER}`, { client_id: url });
    const told = await booted.anonymous.get(path).set('accept', '*/*').expect(400);
    expect(told.body).toEqual({ error: 'invalid_request', error_description: expect.stringContaining(why) });
    const { body } = await booted.control.get('/requests?operation=OAuth_Authorize').expect(200);
    expect(body.requests[0].notes).toEqual([expect.stringContaining(why)]);
    expect(body.requests[1]).not.toHaveProperty('notes');
  });

  it.each([
    ['application/json', 'json'],
    ['*/*', 'json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'html'],
  ])('is refused for Accept %s with %s', async (accept, type) => {
    const { anonymous } = await fresh();
    const path = authorizeUrl(TASK_SERVER, { client_id: 'https://client.example' });

    const { headers } = await anonymous.get(path).set('accept', accept).expect(400);

    expect(headers['content-type']).toContain(type);
  });

  it.each([
    ['http://client.example/c', 'must be an https address'],
    ['https://client.example', 'must have a path'],
    ['https://client.example/c#x', 'must have no fragment'],
  ])('is refused at the address %s', async (address, why) => {
    expect(await refusal(await fresh(), address)).toContain(why);
  });

  it('is fetched from this machine only, unless --webhook-allow names its host', async () => {
    const booted = await fresh();

    expect(await refusal(booted, 'https://192.0.2.1/client.json')).toContain(
      '192.0.2.1 is not on this machine, and --webhook-allow does not name it',
    );
  });

  it('is fetched from allowed hosts only, and only if the resource enables it', async () => {
    const { url, server } = await aDocument();
    const strict = await boot({ webhookAllow: ['app.example'] });

    const refused = await new Browser(strict).open(authorizeUrl(TASK_SERVER, { client_id: url }));
    await strict.api.patch(`/api/v1/resources/${TASK_SERVER}`).send({ enable_cimd: false }).expect(200);
    const off = await new Browser(strict).open(authorizeUrl(TASK_SERVER, { client_id: url }));

    expect(refused.text).toContain('does not match --webhook-allow app.example');
    expect(off.text).toContain('Unable to retrieve client by id');
    expect(server.received).toEqual([]);
  });
});
