import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { later } from '../support/later.ts';
import {
  failure,
  invalid,
  noPrefix,
  notFound,
  pairs,
  refusal,
  required,
  tooLong,
  tooManyPairs,
  tooShort,
} from '../support/violations.ts';
import { ACME, ADA, EMPTY_DESK, NORDWIND } from '../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const PATH = '/api/v1/tokens';

const NOT_FOUND = notFound('token not found, expired or invalidated');

async function create(api: Agent, wanted: object = {}) {
  const { body } = await api
    .post(PATH)
    .send({ organization_id: EMPTY_DESK, ...wanted })
    .expect(201);
  return body as { token: string; token_id: string; token_info: Record<string, unknown> };
}

const validate = (api: Agent, token: string) => api.post(`${PATH}:validate`).send({ token });
const invalidate = (api: Agent, token: string) => api.post(`${PATH}:invalidate`).send({ token });
const update = (api: Agent, token: string, change: object) =>
  api.post(`${PATH}:update`).send({ token, ...change });

describe('ApiTokenService_CreateToken', () => {
  it('creates an opaque token for an organization and shows its value only once', async () => {
    const { api } = await boot({ now: NOW });
    const wanted = { organization_id: ACME, custom_claims: { env: 'test' }, description: 'Export' };

    const created = await api.post(PATH).send(wanted).expect(201);

    const { token, token_id, token_info } = created.body;
    expect(token).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(token_id).toMatch(/^apit_\d{17,}$/);
    expect(token_info).toEqual({
      ...wanted,
      token_id,
      organization_external_id: 'crm-acme',
      created_at: NOW,
      token_suffix: token.slice(-4),
      roles: [],
    });
    const read = [await api.get(`${PATH}?organization_id=${ACME}`), await validate(api, token_id)];
    for (const { text } of read) expect(text).not.toContain(token);
  });

  it('creates a token for a member with the user and the roles', async () => {
    const { api } = await boot();

    const { token_info } = await create(api, { organization_id: ACME, user_id: ADA });

    expect(token_info).toMatchObject({
      organization_id: ACME,
      user_id: ADA,
      user_external_id: 'crm-acme-ada',
      email: 'ada@acme.example',
      roles: ['admin'],
      custom_claims: {},
    });
    expect(token_info).not.toHaveProperty('description');
    expect(token_info).not.toHaveProperty('expiry');
  });

  it.each([
    ['is invited', ACME, 'usr_10000000000000106'],
    ['is inactive', ACME, 'usr_10000000000000104'],
    ['belongs to another organization', NORDWIND, ADA],
  ])('refuses a user who %s', async (_, organization_id, user_id) => {
    const { api } = await boot();

    const response = await api.post(PATH).send({ organization_id, user_id }).expect(400);

    const message = `user ${user_id} is not an active member of organization ${organization_id}`;
    expect(response.body).toEqual(failure(9, 'FAILED_PRECONDITION', message));
  });

  it.each([
    ['organization', { organization_id: 'org_1' }, 'organization org_1 not found'],
    ['user', { organization_id: ACME, user_id: 'usr_1' }, 'user usr_1 not found'],
  ])('answers 404 for an unknown %s', async (_, wanted, message) => {
    const { api } = await boot();

    const response = await api.post(PATH).send(wanted).expect(404);

    expect(response.body).toEqual(notFound(message));
  });

  it.each([NOW, '2029-12-31T23:59:59Z', '2036-12-31T23:59:60Z', '9999-12-31T23:59:59-23:00'])(
    'refuses the expiry %s',
    async (expiry) => {
      const { api } = await boot({ now: NOW });

      const response = await api.post(PATH).send({ organization_id: ACME, expiry }).expect(400);

      expect(response.body).toEqual(invalid(`expiry ${expiry} is not a time in the future`));
    },
  );

  it('accepts an expiry in any time zone', async () => {
    const { api } = await boot({ now: NOW });

    const { token_info } = await create(api, { expiry: '2030-01-01T02:00:00+01:00' });

    expect(token_info['expiry']).toBe('2030-01-01T01:00:00.000Z');
  });

  it.each([
    ['no organization', {}, required('token.organization_id')],
    [
      'a 21st claim',
      { organization_id: ACME, custom_claims: pairs(21) },
      tooManyPairs(20)('token.custom_claims'),
    ],
    [
      'an empty claim key',
      { organization_id: ACME, custom_claims: { '': 'x' } },
      tooShort(1)('token.custom_claims[""]'),
    ],
    [
      'a claim key of 31 characters',
      { organization_id: ACME, custom_claims: { ['k'.repeat(31)]: 'x' } },
      tooLong(30)(`token.custom_claims["${'k'.repeat(31)}"]`),
    ],
    [
      'an empty claim',
      { organization_id: ACME, custom_claims: { env: '' } },
      tooShort(1)('token.custom_claims["env"]'),
    ],
    [
      'a description of 256 characters',
      { organization_id: ACME, description: 'd'.repeat(256) },
      tooLong(255)('token.description'),
    ],
  ])('refuses %s', async (_, wanted, violation) => {
    const { api } = await boot();

    const response = await api.post(PATH).send(wanted).expect(400);

    expect(response.body).toEqual(refusal(violation));
  });
});

describe('ApiTokenService_ValidateToken', () => {
  it('finds a token by its value and by its id and sets last_used_at', async () => {
    const booted = await boot({ now: NOW });
    const { token, token_id, token_info } = await create(booted.api, { organization_id: ACME, user_id: ADA });
    const api = await later(booted, '1h');

    const byValue = await validate(api, token).expect(200);
    const byId = await validate(api, token_id).expect(200);

    expect(byValue.body).toEqual({ token_info });
    expect(byId.body).toEqual({ token_info });
    const row = await booted.control.get(`/state/api_tokens/${token_id}`).expect(200);
    expect(row.body.last_used_at).toBe('2030-01-01T01:00:00.000Z');
  });

  it('answers the current roles of the user', async () => {
    const { api, control } = await boot();
    const { token } = await create(api, { organization_id: ACME, user_id: ADA });
    const role_ids = ['role_10000000000000101'];
    await control.patch('/state/memberships/mem_10000000000000001').send({ role_ids }).expect(200);

    const { body } = await validate(api, token).expect(200);

    expect(body.token_info.roles).toEqual(['billing_viewer']);
  });

  it.each([
    ['unknown', 'apit_1'],
    ['expired', 'UnderstudyExpiredToken0003'],
    ['expired and given by id', 'apit_10000000000000003'],
    ['invalidated', 'UnderstudyInvalidatedToken0004'],
  ])('answers 404 for a token that is %s', async (_, token) => {
    const { api } = await boot();

    const response = await validate(api, token).expect(404);
    const updated = await update(api, token, { description: 'x' }).expect(404);

    expect(response.body).toEqual(NOT_FOUND);
    expect(updated.body).toEqual(NOT_FOUND);
  });

  it('accepts a token until it expires', async () => {
    const booted = await boot({ now: NOW });
    const { token } = await create(booted.api, { expiry: '2030-01-01T01:00:00Z' });

    await validate(await later(booted, '3599s'), token).expect(200);
    await validate(await later(booted, '1s'), token).expect(404);
  });

  it('does not make the token valid as an access token of the API', async () => {
    const { api, anonymous } = await boot();
    const { token } = await create(api);

    await anonymous
      .get('/api/v1/organizations')
      .set({ authorization: `Bearer ${token}` })
      .expect(401);
  });
});

describe('ApiTokenService_InvalidateToken', () => {
  it.each(['token', 'token_id'] as const)(
    'invalidates a token by its %s immediately and permanently',
    async (which) => {
      const { api } = await boot();
      const created = await create(api);

      const first = await invalidate(api, created[which]).expect(200);
      const again = await invalidate(api, created[which]).expect(200);

      expect([first.body, again.body]).toEqual([{}, {}]);
      await validate(api, created.token).expect(404);
      await validate(api, created.token_id).expect(404);
      const listed = await api.get(`${PATH}?organization_id=${EMPTY_DESK}`).expect(200);
      expect(listed.body).toMatchObject({ tokens: [], total_count: 0 });
    },
  );

  it('accepts expired tokens but answers 404 for unknown tokens', async () => {
    const { api } = await boot();

    await invalidate(api, 'apit_10000000000000003').expect(200);
    const unknown = await invalidate(api, 'nothing').expect(404);

    expect(unknown.body).toEqual(NOT_FOUND);
  });
});

describe('ApiTokenService_UpdateToken', () => {
  it('replaces all claims, and keeps them when the given claims are empty', async () => {
    const { api } = await boot();
    const { token } = await create(api, { custom_claims: { a: '1', b: '2' }, description: 'Old' });

    const replaced = await update(api, token, { custom_claims: { b: '3' } }).expect(200);
    const untouched = await update(api, token, { custom_claims: {} }).expect(200);

    expect(replaced.body.token_info).toMatchObject({ custom_claims: { b: '3' }, description: 'Old' });
    expect(untouched.body).toEqual(replaced.body);
    expect((await validate(api, token)).body).toEqual(replaced.body);
  });

  it('changes the description, and removes it when it is empty', async () => {
    const { api } = await boot();
    const { token_id } = await create(api, { custom_claims: { a: '1' }, description: 'Old' });

    const changed = await update(api, token_id, { description: 'New' }).expect(200);
    const removed = await update(api, token_id, { description: '' }).expect(200);

    expect(changed.body.token_info).toMatchObject({ custom_claims: { a: '1' }, description: 'New' });
    expect(removed.body.token_info).not.toHaveProperty('description');
  });

  it('refuses an empty claim', async () => {
    const { api } = await boot();
    const { token } = await create(api);

    const response = await update(api, token, { custom_claims: { a: '' } }).expect(400);

    expect(response.body).toEqual(refusal(tooShort(1)('custom_claims["a"]')));
  });
});

describe('ApiTokenService_ListTokens', () => {
  const idsOf = (response: { body: { tokens: { token_id: string }[] } }) =>
    response.body.tokens.map(({ token_id }) => token_id);

  it('pages through the valid tokens of an organization, newest first', async () => {
    const { api } = await boot();
    const created: string[] = [];
    for (let i = 0; i < 3; i++) created.unshift((await create(api)).token_id);
    await create(api, { organization_id: NORDWIND });

    const first = await api.get(`${PATH}?organization_id=${EMPTY_DESK}&page_size=2`).expect(200);
    const { next_page_token } = first.body;
    const second = await api
      .get(`${PATH}?organization_id=${EMPTY_DESK}&page_token=${next_page_token}`)
      .expect(200);

    expect([...idsOf(first), ...idsOf(second)]).toEqual(created);
    expect(first.body).toMatchObject({ total_count: 3, prev_page_token: '' });
    expect(second.body).toMatchObject({ total_count: 3, next_page_token: '' });
  });

  it('filters by user', async () => {
    const { api } = await boot();

    const ofAda = await api.get(`${PATH}?organization_id=${ACME}&user_id=${ADA}`).expect(200);
    const elsewhere = await api.get(`${PATH}?organization_id=${NORDWIND}&user_id=${ADA}`).expect(200);
    const all = await api.get(`${PATH}?organization_id=${ACME}`).expect(200);

    expect(idsOf(ofAda)).toEqual(['apit_10000000000000002']);
    expect(elsewhere.body.total_count).toBe(0);
    expect(idsOf(all)).toEqual(['apit_10000000000000002', 'apit_10000000000000001']);
  });

  it('leaves out expired tokens', async () => {
    const booted = await boot({ now: NOW });
    await create(booted.api, { expiry: '2030-01-01T01:00:00Z' });
    const { token_id } = await create(booted.api);

    const api = await later(booted, '1h');

    const listed = await api.get(`${PATH}?organization_id=${EMPTY_DESK}`).expect(200);
    expect(idsOf(listed)).toEqual([token_id]);
    expect(listed.body.total_count).toBe(1);
  });

  it.each([
    ['no organization', '', required('organization_id')],
    ['a wrong prefix', '?organization_id=tenant', noPrefix('org_')('organization_id')],
    [
      'a page size of 31',
      `?organization_id=${ACME}&page_size=31`,
      {
        field: 'page_size',
        description: 'value must be greater than or equal to 0 and less than or equal to 30',
        constraint: 'int32.gte_lte',
      },
    ],
  ])('refuses %s', async (_, query, violation) => {
    const { api } = await boot();

    const response = await api.get(`${PATH}${query}`).expect(400);

    expect(response.body).toEqual(refusal(violation));
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    await api.get(`${PATH}?organization_id=org_1`).expect(404);
  });
});

describe('an API token is deleted with', () => {
  it.each([
    ['its organization', `/api/v1/organizations/${ACME}`],
    ['the membership of its user', `/api/v1/memberships/organizations/${ACME}/users/${ADA}?cascade=false`],
    ['its user', `/api/v1/memberships/organizations/${ACME}/users/${ADA}`],
  ])('%s', async (_, path) => {
    const { api } = await boot();
    const { token } = await create(api, { organization_id: ACME, user_id: ADA });

    await api.delete(path).expect(200);

    expect((await validate(api, token).expect(404)).body).toEqual(NOT_FOUND);
    expect((await invalidate(api, token).expect(404)).body).toEqual(NOT_FOUND);
  });
});
