import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, tokenOf, type Agent, type Booted } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { invalid, noPrefix, notFound, refusal, tooLong, tooShort } from '../../support/violations.ts';
import { ACME, EMPTY_DESK, NORDWIND } from '../../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const FIXTURE_CLIENT = 'm2morg_10000000000000001';

const clientsOf = (organization: string) => `/api/v1/organizations/${organization}/clients`;

async function create(api: Agent, wanted: object = {}, organization = EMPTY_DESK) {
  const { body } = await api.post(clientsOf(organization)).send(wanted).expect(201);
  return {
    ...(body.client as { client_id: string; secrets: { id: string }[] }),
    credentials: { client_id: body.client.client_id as string, client_secret: body.plain_secret as string },
    path: `${clientsOf(organization)}/${body.client.client_id}`,
  };
}

const ask = ({ anonymous }: Pick<Booted, 'anonymous'>, credentials: object) =>
  anonymous
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', ...credentials });

const refused = { error: 'invalid_client', error_description: 'invalid client_id / client_secret' };

describe('ClientService_CreateOrganizationClient', () => {
  it('stores the client with a first secret and returns the secret only once', async () => {
    const { api } = await boot({ now: NOW });
    const wanted = {
      name: 'Exporter',
      description: 'Nightly',
      scopes: ['write', 'read'],
      audience: ['my-own-api'],
      custom_claims: [{ key: 'wksp_id', value: 'wks_1' }, { key: 'plain' }],
      expiry: 900,
    };

    const created = await api.post(clientsOf(EMPTY_DESK)).send(wanted).expect(201);

    const { client, plain_secret } = created.body;
    expect(plain_secret).toMatch(/^test_[A-Za-z0-9]{40}$/);
    const secret = {
      id: expect.stringMatching(/^sks_\d{17,}$/),
      create_time: NOW,
      update_time: NOW,
      secret_suffix: plain_secret.slice(-4),
      created_by: 'skc_1000000000000000001',
      status: 'ACTIVE',
    };
    const stored = {
      ...wanted,
      custom_claims: [
        { key: 'wksp_id', value: 'wks_1' },
        { key: 'plain', value: '' },
      ],
      expiry: '900',
      client_id: expect.stringMatching(/^m2morg_\d{17,}$/),
      organization_id: EMPTY_DESK,
      create_time: NOW,
      update_time: NOW,
      resource_id: '',
      redirect_uris: [],
      is_dcr: false,
      is_cimd: false,
      metadata_uri: '',
    };
    expect(client).toEqual({ ...stored, secrets: [{ ...secret, plain_secret }] });
    const read = await api.get(`${clientsOf(EMPTY_DESK)}/${client.client_id}`).expect(200);
    expect(read.body.client).toEqual({ ...stored, secrets: [secret] });
  });

  it('requires only a body and sets a token lifetime of one hour', async () => {
    const { api } = await boot();

    const created = await create(api);

    expect(created).toMatchObject({ name: '', description: '', scopes: [], audience: [], expiry: '3600' });
  });

  it('accepts an expiry as a string', async () => {
    const { api } = await boot();

    expect(await create(api, { expiry: '300' })).toMatchObject({ expiry: '300' });
  });

  it.each([
    ['a name of 129 characters', { name: 'n'.repeat(129) }, tooLong(128)('client.name')],
    ['a description of 513 characters', { description: 'd'.repeat(513) }, tooLong(512)('client.description')],
    ['a claim without a key', { custom_claims: [{ key: '' }] }, tooShort(1)('client.custom_claims[0].key')],
    [
      'a claim key of 129 characters',
      { custom_claims: [{ key: 'k'.repeat(129), value: '' }] },
      tooLong(128)('client.custom_claims[0].key'),
    ],
    [
      'an expiry below five minutes',
      { expiry: 299 },
      {
        field: 'client.expiry',
        description: 'value must be greater than or equal to 300',
        constraint: 'int64.gte',
      },
    ],
  ])('refuses %s', async (_, wanted, violation) => {
    const { api } = await boot();
    const { path } = await create(api);

    const onCreate = await api.post(clientsOf(EMPTY_DESK)).send(wanted).expect(400);
    const onUpdate = await api.patch(path).send(wanted).expect(400);

    expect(onCreate.body).toEqual(refusal(violation));
    expect(onUpdate.body).toEqual(refusal(violation));
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const response = await api.post(clientsOf('org_1')).send({}).expect(404);

    expect(response.body).toEqual(notFound('organization org_1 not found'));
  });
});

describe('a new client of an organization', () => {
  it('gets tokens with its scopes, audience, claims and lifetime', async () => {
    const booted = await boot({ now: NOW });
    const { client_id, credentials } = await create(booted.api, {
      scopes: ['write', 'read'],
      audience: ['my-own-api', 'other'],
      custom_claims: [{ key: 'wksp_id', value: 'wks_1' }],
      expiry: 900,
    });

    const { body } = await ask(booted, { ...credentials, scope: 'read' }).expect(200);

    expect(body).toMatchObject({ expires_in: 899, scope: 'read' });
    expect(decodeJwt(body.access_token)).toMatchObject({
      sub: client_id,
      client_id,
      aud: ['my-own-api', 'other'],
      oid: EMPTY_DESK,
      exp: Date.parse(NOW) / 1000 + 900,
      scopes: ['read'],
      custom_claims: { wksp_id: 'wks_1' },
    });
  });

  it('calls the API until its token expires', async () => {
    const booted = await boot({ now: NOW });
    const { credentials, path } = await create(booted.api, { expiry: 300 });
    const authorization = `Bearer ${await tokenOf(booted.understudy.app, credentials)}`;

    await booted.anonymous.get(path).set({ authorization }).expect(200);

    await later(booted, '5m');
    await booted.anonymous.get(path).set({ authorization }).expect(401);
  });

  it('is found in its environment by its credentials', async () => {
    const { environment, anonymous } = await boot();
    const { api } = await environment('a-long-name-of-an-environment');

    const { credentials, path } = await create(api);

    expect(credentials.client_id.length).toBeLessThanOrEqual(32);
    await ask({ anonymous }, credentials).expect(200);
    await api.get(path).expect(200);
  });

  it('has last_used_time for the secret that was used', async () => {
    const booted = await boot({ now: NOW });
    const { credentials, path } = await create(booted.api);
    await ask(booted, { ...credentials, client_secret: 'wrong' }).expect(401);
    const before = await booted.api.get(path).expect(200);
    await booted.api.post(`${path}/secrets`).expect(201);

    const api = await later(booted, '1h');
    await ask(booted, credentials).expect(200);

    expect(before.body.client.secrets[0]).not.toHaveProperty('last_used_time');
    const after = await api.get(path).expect(200);
    expect(after.body.client.secrets[0].last_used_time).toBe('2030-01-01T01:00:00.000Z');
    expect(after.body.client.secrets[1]).not.toHaveProperty('last_used_time');
  });
});

describe('ClientService_ListOrganizationClients', () => {
  it('pages through the clients of one organization, newest first, without their secrets', async () => {
    const { api } = await boot();
    const credentials = [];
    for (const name of ['one', 'two', 'three']) credentials.push((await create(api, { name })).credentials);
    await create(api, { name: 'elsewhere' }, NORDWIND);

    const first = await api.get(`${clientsOf(EMPTY_DESK)}?page_size=2`).expect(200);
    const rest = await api
      .get(`${clientsOf(EMPTY_DESK)}?page_size=2&page_token=${first.body.next_page_token}`)
      .expect(200);
    const back = await api
      .get(`${clientsOf(EMPTY_DESK)}?page_token=${rest.body.prev_page_token}`)
      .expect(200);

    const names = ({ body }: typeof first) => body.clients.map((client: { name: string }) => client.name);
    expect([names(first), names(rest), names(back)]).toEqual([['three', 'two'], ['one'], ['three', 'two']]);
    expect([first, rest].map(({ body }) => body.total_size)).toEqual([3, 3]);
    expect(rest.body.next_page_token).toBe('');
    for (const { client_secret } of credentials) expect(first.text + rest.text).not.toContain(client_secret);
  });

  it('answers an empty list without clients and 404 for an unknown organization', async () => {
    const { api } = await boot();

    const none = await api.get(clientsOf(EMPTY_DESK)).expect(200);
    const unknown = await api.get(clientsOf('org_1')).expect(404);
    const malformed = await api.get(clientsOf('tenant-1')).expect(400);

    expect(none.body).toEqual({ next_page_token: '', total_size: 0, clients: [], prev_page_token: '' });
    expect(unknown.body).toEqual(notFound('organization org_1 not found'));
    expect(malformed.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });
});

describe('ClientService_UpdateOrganizationClient', () => {
  it('changes fields that are given, but not for an empty text or 0, and replaces lists', async () => {
    const booted = await boot({ now: NOW });
    const claims = (value: string) => [{ key: value, value }];
    const fields = { name: 'Exporter', scopes: ['a', 'b'], audience: ['x'], expiry: 900 };
    const { path, secrets } = await create(booted.api, { ...fields, custom_claims: claims('old') });
    const api = await later(booted, '1m');

    const empty = { name: '', expiry: 0, description: '' };
    await api.patch(path).send(empty).expect(200);
    const change = { description: 'New', custom_claims: claims('new'), scopes: ['c'] };
    const updated = await api.patch(path).send(change).expect(200);

    expect(updated.body.client).toMatchObject({
      ...fields,
      ...change,
      expiry: '900',
      secrets: [{ id: secrets[0]!.id }],
      create_time: NOW,
      update_time: '2030-01-01T00:01:00.000Z',
    });
    expect((await api.get(path)).body).toEqual(updated.body);
  });
});

describe('ClientService_DeleteOrganizationClient', () => {
  it('rejects the credentials and tokens of the deleted client immediately', async () => {
    const booted = await boot();
    const { api, anonymous, understudy } = booted;
    const { credentials, path } = await create(api);
    const authorization = `Bearer ${await tokenOf(understudy.app, credentials)}`;

    const deleted = await api.delete(path).expect(200);

    expect(deleted.body).toEqual({});
    await api.get(path).expect(404);
    await api.delete(path).expect(404);
    await anonymous.get('/api/v1/organizations').set({ authorization }).expect(401);
    expect((await ask(booted, credentials).expect(401)).body).toEqual(refused);
  });

  it('is not required when the organization is deleted: its clients are deleted, too', async () => {
    const booted = await boot();
    const { credentials } = await create(booted.api);

    await booted.api.delete(`/api/v1/organizations/${EMPTY_DESK}`).expect(200);

    expect((await ask(booted, credentials).expect(401)).body).toEqual(refused);
  });
});

describe('a client of another organization', () => {
  const elsewhere = `${clientsOf(NORDWIND)}/${FIXTURE_CLIENT}`;

  it.each([
    ['get', elsewhere],
    ['patch', elsewhere],
    ['delete', elsewhere],
    ['post', `${elsewhere}/secrets`],
    ['delete', `${elsewhere}/secrets/sec_10000000000000001`],
  ] as const)('is not found by %s %s', async (verb, path) => {
    const { api } = await boot();

    const response = await api[verb](path).send(verb === 'patch' ? { name: 'Mine' } : undefined);

    expect(response).toMatchObject({ status: 404, body: notFound(`client ${FIXTURE_CLIENT} not found`) });
    await api.get(`${clientsOf(ACME)}/${FIXTURE_CLIENT}`).expect(200);
  });

  it('is refused when its id has a wrong prefix', async () => {
    const { api } = await boot();

    const response = await api.get(`${clientsOf(ACME)}/skc_1000000000000000001`).expect(400);

    expect(response.body).toEqual(refusal(noPrefix('m2morg_')('client_id')));
  });
});

describe('the secrets of an organization client', () => {
  it('are valid side by side until one is deleted', async () => {
    const booted = await boot();
    const { api } = booted;
    const { credentials, path, secrets } = await create(api);

    const added = await api.post(`${path}/secrets`).expect(201);
    const second = { ...credentials, client_secret: added.body.plain_secret };
    await ask(booted, credentials).expect(200);
    await ask(booted, second).expect(200);
    const both = await api.get(path).expect(200);
    const deleted = await api.delete(`${path}/secrets/${secrets[0]!.id}`).expect(200);

    expect(added.body.secret).toMatchObject({
      plain_secret: added.body.plain_secret,
      secret_suffix: added.body.plain_secret.slice(-4),
      status: 'ACTIVE',
    });
    expect(both.body.client.secrets[1].id).toBe(added.body.secret.id);
    expect(both.text).not.toContain(added.body.plain_secret);
    expect(deleted.body).toEqual({});
    expect((await ask(booted, credentials).expect(401)).body).toEqual(refused);
    await ask(booted, second).expect(200);
  });

  it('are at most five and at least one', async () => {
    const booted = await boot();
    const { api } = booted;
    const { credentials, path, secrets } = await create(api);

    const last = await api.delete(`${path}/secrets/${secrets[0]!.id}`).expect(400);
    for (let i = 0; i < 4; i++) await api.post(`${path}/secrets`).expect(201);
    const sixth = await api.post(`${path}/secrets`).expect(400);

    expect(last.body).toEqual(invalid('last client cannot be deleted'));
    expect(sixth.body).toEqual(invalid('only 5 secrets are allowed'));
    await ask(booted, credentials).expect(200);
  });

  it.each([
    ['inactive', { status: 'INACTIVE' }],
    ['expired', { expire_time: NOW }],
  ])('are refused when they are %s', async (_, change) => {
    const booted = await boot({ now: NOW });
    const { client_id, credentials } = await create(booted.api);
    const row = (await booted.control.get(`/state/clients/${client_id}`).expect(200)).body;
    const secrets = [{ ...row.secrets[0], ...change }];
    await booted.control.patch(`/state/clients/${client_id}`).send({ secrets }).expect(200);

    expect((await ask(booted, credentials).expect(401)).body).toEqual(refused);
  });

  it('answer 404 when they do not exist', async () => {
    const { api } = await boot();
    const { path } = await create(api);

    const response = await api.delete(`${path}/secrets/sks_1`).expect(404);

    expect(response.body).toEqual(notFound('secret sks_1 not found'));
  });
});
