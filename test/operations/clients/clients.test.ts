import { describe, expect, it } from 'vitest';
import { boot, tokenOf } from '../../support/boot.ts';
import { ask, CLIENTS, createClient, WEB_APP, withSecret } from '../../support/clients.ts';
import { later } from '../../support/later.ts';
import { failure, invalid, notFound, refusal, tooLong } from '../../support/violations.ts';
import { DEFAULT_CLIENT } from '../../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';

describe('ClientService_CreateClient', () => {
  it('registers an application without a secret', async () => {
    const { api } = await boot({ now: NOW });
    const wanted = {
      ...WEB_APP,
      post_login_uris: ['https://portal.example/1', 'https://portal.example/2'],
      post_logout_redirect_uris: ['https://portal.example/out'],
      back_channel_logout_uris: ['https://portal.example/ended'],
      initiate_login_uri: 'https://portal.example/login',
      scopes: ['invoices:read'],
      custom_claims: [{ key: 'plan', value: 'trial' }],
      grant_types: ['authorization_code'],
      disallow_scalekit_api_access: true,
      enforce_pkce: true,
    };

    const created = await api
      .post(CLIENTS)
      .send({ ...wanted, access_token_expiry: 3600 })
      .expect(200);

    const { id } = created.body.client;
    expect(id).toMatch(/^webc_\d{17,}$/);
    expect(created.body.client).toEqual({
      ...wanted,
      id,
      keyId: id.replace('webc_', 'key_'),
      create_time: NOW,
      update_time: NOW,
      access_token_expiry: '3600',
      secrets: [],
    });
    expect((await api.get(`${CLIENTS}/${id}`).expect(200)).body).toEqual(created.body);
  });

  it.each(['WEB_APP', 'SPA', 'NTV'])('gives %s an id that leads to its environment', async (client_type) => {
    const { environment, anonymous } = await boot();
    const { api, control } = await environment('team');
    const { body } = await api.post(CLIENTS).send({ name: 'App', client_type }).expect(200);
    const asked = {
      client_id: body.client.id,
      redirect_uri: 'http://localhost:3000/callback',
      scope: 'openid',
      response_type: 'code',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    };

    const { headers } = await anonymous.get('/oauth/authorize').query(asked).expect(302);

    expect(headers['location']).not.toContain('error=');
    const calls = await control.get('/requests?operation=OAuth_Authorize').expect(200);
    expect(calls.body).toMatchObject({ total: 1 });
  });

  it.each([
    ['WEB_APP', false],
    ['SPA', true],
    ['NTV', true],
  ])('sets the PKCE default of a client of type %s', async (client_type, enforce_pkce) => {
    const { api } = await boot();

    const byDefault = await api.post(CLIENTS).send({ name: 'App', client_type }).expect(200);
    const explicit = await api
      .post(CLIENTS)
      .send({ name: 'App', client_type, enforce_pkce: !enforce_pkce })
      .expect(200);

    expect(byDefault.body.client).toMatchObject({ client_type, enforce_pkce });
    expect(byDefault.body.client).not.toHaveProperty('access_token_expiry');
    expect(explicit.body.client.enforce_pkce).toBe(!enforce_pkce);
  });

  it.each([
    ['a name of 129 characters', { name: 'n'.repeat(129) }, tooLong(128)('client.name')],
    [
      'a sixth post-login address',
      { post_login_uris: ['a', 'b', 'c', 'd', 'e', 'f'] },
      {
        field: 'client.post_login_uris',
        description: 'value must contain no more than 5 item(s)',
        constraint: 'repeated.max_items',
      },
    ],
    [
      'an invalid back-channel logout address',
      { back_channel_logout_uris: ['portal'] },
      {
        field: 'client.back_channel_logout_uris[0]',
        description: 'value must be a valid URI',
        constraint: 'string.uri',
      },
    ],
    [
      'a second ENV client',
      { client_type: 'ENV' },
      {
        field: 'client.client_type',
        description: 'value must be one of the defined enum values',
        constraint: 'enum.defined_only',
      },
    ],
  ])('refuses %s', async (_, wanted, violation) => {
    const { api } = await boot();

    const response = await api
      .post(CLIENTS)
      .send({ ...WEB_APP, ...wanted })
      .expect(400);

    expect(response.body).toEqual(refusal(violation));
  });
});

describe('ClientService_ListClient', () => {
  const idsOf = (response: { body: { clients: { id: string }[] } }) =>
    response.body.clients.map(({ id }) => id);

  it.each([
    ['nothing', '', [DEFAULT_CLIENT]],
    ['ENV', '?filter.client_type=ENV', [DEFAULT_CLIENT]],
    ['WEB_APP', '?filter.client_type=WEB_APP', ['skc_10000000000000002']],
    [
      'two types',
      '?filter.client_type=SPA&filter.client_type=NTV',
      ['skc_10000000000000004', 'skc_10000000000000003'],
    ],
    [
      'ALL',
      '?filter.client_type=ALL',
      [DEFAULT_CLIENT, 'skc_10000000000000004', 'skc_10000000000000003', 'skc_10000000000000002'],
    ],
  ])('lists the clients of the environment for the type filter %s', async (_, query, ids) => {
    const { api } = await boot();

    const listed = await api.get(`${CLIENTS}${query}`).expect(200);

    expect(idsOf(listed)).toEqual(ids);
    expect(listed.body.total_size).toBe(ids.length);
  });

  it('never returns a secret, even with include_plain_secret', async () => {
    const { api } = await boot();

    const listed = await api.get(`${CLIENTS}?include_plain_secret=true&filter.client_type=ALL`).expect(200);

    expect(listed.text).not.toContain('test_understudy_default_secret');
    expect(listed.text).not.toContain('plain_secret');
    expect(listed.body.clients.at(-1).secrets).toMatchObject([
      { secret_suffix: 'cret', status: 'ACTIVE' },
      { status: 'INACTIVE' },
    ]);
  });

  it('pages through the clients', async () => {
    const { api } = await boot();
    for (const name of ['one', 'two', 'three']) await createClient(api, { name, client_type: 'SPA' });

    const first = await api.get(`${CLIENTS}?filter.client_type=SPA&page_size=3`).expect(200);
    const token = first.body.next_page_token;
    const second = await api.get(`${CLIENTS}?filter.client_type=SPA&page_token=${token}`).expect(200);

    expect(idsOf(first)).toHaveLength(3);
    expect(idsOf(second)).toEqual(['skc_10000000000000003']);
    expect(second.body).toMatchObject({ total_size: 4, next_page_token: '' });
    await api.get(`${CLIENTS}?page_size=31`).expect(400);
  });
});

describe('ClientService_UpdateClient', () => {
  const FULL = {
    ...WEB_APP,
    post_login_uris: ['https://portal.example/1'],
    scopes: ['a'],
    initiate_login_uri: 'https://portal.example/login',
    access_token_expiry: 3600,
    enforce_pkce: true,
  };

  it('changes the fields that are given, but not for an empty text or 0', async () => {
    const booted = await boot({ now: NOW });
    const { path } = await createClient(booted.api, FULL);
    const api = await later(booted, '1m');
    const empty = { name: '', access_token_expiry: '0' };

    const change = { ...empty, scopes: ['b'], enforce_pkce: false, initiate_login_uri: '' };
    const updated = await api.patch(path).send(change).expect(201);

    expect(updated.body.client).toMatchObject({
      name: FULL.name,
      post_login_uris: FULL.post_login_uris,
      access_token_expiry: '3600',
      scopes: ['b'],
      enforce_pkce: false,
      initiate_login_uri: '',
      create_time: NOW,
      update_time: '2030-01-01T00:01:00.000Z',
    });
  });

  it('changes the fields of the mask and empties those of them that are not given', async () => {
    const { api } = await boot();
    const { path } = await createClient(api, FULL);

    const updated = await api
      .patch(`${path}?mask=name,postLoginUris,client.access_token_expiry,scopes`)
      .send({ name: 'New', post_login_uris: ['https://new.example'], enforce_pkce: false })
      .expect(201);

    expect(updated.body.client).toMatchObject({
      name: 'New',
      post_login_uris: ['https://new.example'],
      scopes: [],
      enforce_pkce: true,
      initiate_login_uri: FULL.initiate_login_uri,
    });
    expect(updated.body.client).not.toHaveProperty('access_token_expiry');
  });

  it.each([
    [
      'an unknown field',
      'name,client_type',
      expect.stringMatching(/^the mask names client_type, which cannot be updated\. These can: name, /),
    ],
    ['a name that is not given', 'name', 'name of a client cannot be empty'],
  ])('refuses a mask with %s', async (_, mask, message) => {
    const { api } = await boot();
    const { path } = await createClient(api);

    const response = await api.patch(`${path}?mask=${mask}`).send({}).expect(400);

    expect(response.body).toEqual(invalid(message));
  });
});

describe('ClientService_DeleteClient', () => {
  it('rejects the credentials and tokens of the deleted client immediately', async () => {
    const booted = await boot();
    const { path, credentials } = await withSecret(booted);
    const authorization = `Bearer ${await tokenOf(booted.understudy.app, credentials)}`;
    await booted.anonymous.get(CLIENTS).set({ authorization }).expect(200);

    const deleted = await booted.api.delete(path).expect(200);

    expect(deleted.body).toEqual({});
    await booted.api.get(path).expect(404);
    await booted.anonymous.get(CLIENTS).set({ authorization }).expect(401);
    await ask(booted, credentials).expect(401);
  });

  it('refuses to delete the client of the environment itself', async () => {
    const { api } = await boot();

    const response = await api.delete(`${CLIENTS}/${DEFAULT_CLIENT}`).expect(400);

    expect(response.body).toEqual(
      failure(
        9,
        'FAILED_PRECONDITION',
        `client ${DEFAULT_CLIENT} is the environment's own client, which cannot be deleted`,
      ),
    );
    await api.get(`${CLIENTS}/${DEFAULT_CLIENT}`).expect(200);
  });

  it('answers 404 for a client of an organization, as do all operations on environment clients', async () => {
    const { api } = await boot();
    const path = `${CLIENTS}/m2morg_10000000000000001`;

    const answers = [
      await api.delete(path),
      await api.get(path),
      await api.patch(path).send({ name: 'Mine' }),
      await api.post(`${path}/secrets`),
      await api.delete(`${path}/secrets/sec_10000000000000001`),
    ];

    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 404,
        body: notFound('client m2morg_10000000000000001 not found'),
      });
    }
  });
});
