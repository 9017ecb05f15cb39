import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const SECONDS = Date.parse(NOW) / 1000;
const OWN = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
const ACME = { client_id: 'm2morg_10000000000000001', client_secret: 'test_acme_m2m_secret' };
const GRANT = { grant_type: 'client_credentials' };

const ask = (agent: Agent, form: object | string) => agent.post('/oauth/token').type('form').send(form);

/** Verifies the token with the keys of /keys and returns its claims. */
async function verified(
  { anonymous }: Pick<Booted, 'anonymous'>,
  token: string,
  currentDate = new Date(NOW),
) {
  const { body } = await anonymous.get('/keys').expect(200);
  const { payload } = await jwtVerify(token, createLocalJWKSet(body as JSONWebKeySet), { currentDate });
  return payload;
}

describe('OAuth_Token', () => {
  it('issues a token for credentials in the form', async () => {
    const { anonymous } = await boot({ now: NOW });

    const response = await ask(anonymous, { ...GRANT, ...OWN }).expect(200);

    const access_token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(response.body).toEqual({ access_token, token_type: 'Bearer', expires_in: 86_399, scope: '' });
    await anonymous
      .get('/api/v1/organizations')
      .set({ authorization: `Bearer ${response.body.access_token}` })
      .expect(200);
  });

  it('issues a token for credentials in HTTP Basic', async () => {
    const { anonymous } = await boot({ now: NOW });

    const response = await ask(anonymous, GRANT).auth(OWN.client_id, OWN.client_secret).expect(200);

    expect(await verified({ anonymous }, response.body.access_token)).toMatchObject({ sub: OWN.client_id });
  });

  it('form-decodes credentials in HTTP Basic', async () => {
    const { anonymous, control } = await boot();
    const secret = 'a b+c%d&e:f=ü';
    await addSecret(control, OWN.client_id, secret);
    const encoded = new URLSearchParams({ x: secret }).toString().slice(2);

    await ask(anonymous, GRANT).auth(OWN.client_id, encoded).expect(200);

    await ask(anonymous, { ...GRANT, client_id: OWN.client_id, client_secret: secret }).expect(200);
  });

  it('refuses a wrong secret in HTTP Basic', async () => {
    const { anonymous } = await boot();

    const wrong = await ask(anonymous, GRANT).auth(OWN.client_id, 'wrong');

    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it('signs with a key of /keys and sets issuer, subject, audience and lifetime', async () => {
    const { anonymous } = await boot({ now: NOW });

    const { body } = await ask(anonymous, { ...GRANT, ...OWN })
      .set({ host: 'sim.test:9' })
      .expect(200);

    const keys = await anonymous.get('/keys').expect(200);
    expect(decodeProtectedHeader(body.access_token)).toEqual({
      alg: 'RS256',
      kid: keys.body.keys[0].kid,
      typ: 'JWT',
    });
    expect(await verified({ anonymous }, body.access_token)).toEqual({
      iss: 'http://sim.test:9',
      sub: OWN.client_id,
      aud: [OWN.client_id],
      client_id: OWN.client_id,
      iat: SECONDS,
      nbf: SECONDS,
      exp: SECONDS + 86_400,
      jti: expect.stringMatching(/^tkn_\d{17,}$/),
      scope: '',
      scopes: [],
    });
  });

  it('issues tokens that expire for every verifier', async () => {
    const { anonymous } = await boot({ now: NOW });
    const { body } = await ask(anonymous, { ...GRANT, ...OWN }).expect(200);

    const late = verified({ anonymous }, body.access_token, new Date(Date.parse(NOW) + 86_400_000));

    await expect(late).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('issues a different token each time, even at the same instant', async () => {
    const { anonymous } = await boot({ now: NOW });

    const first = await ask(anonymous, { ...GRANT, ...OWN }).expect(200);
    const second = await ask(anonymous, { ...GRANT, ...OWN }).expect(200);

    const ids = await Promise.all(
      [first, second].map(async ({ body }) => (await verified({ anonymous }, body.access_token)).jti),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('limits the token lifetime of the settings to at least 300 seconds', async () => {
    const { anonymous, control } = await boot({ now: NOW });
    await control.patch('/state/settings/settings').send({ client_access_token_expiry: 5 }).expect(200);

    const { body } = await ask(anonymous, { ...GRANT, ...OWN }).expect(200);

    expect(body.expires_in).toBe(299);
    expect(await verified({ anonymous }, body.access_token)).toMatchObject({ exp: SECONDS + 300 });
  });

  it('names the environment once in a token, in the id of its client', async () => {
    const { anonymous, environment } = await boot();
    const { token } = await environment('worker-1', { clock: { mode: 'frozen', at: NOW } });

    const claims = await verified({ anonymous }, token);

    expect(claims).toMatchObject({ client_id: 'skc_worker-1_1000000000000000001' });
    expect(claims).not.toHaveProperty('understudy_environment');
    await anonymous
      .get('/api/v1/organizations')
      .set({ authorization: `Bearer ${token}`, 'understudy-environment': 'default' })
      .expect(401);
  });

  it('accepts each secret of a client', async () => {
    const { anonymous, control } = await boot();
    await addSecret(control, OWN.client_id, 'second');

    await ask(anonymous, { ...GRANT, ...OWN }).expect(200);

    await ask(anonymous, { ...GRANT, client_id: OWN.client_id, client_secret: 'second' }).expect(200);
  });

  it('grants all scopes that the client of the environment requests', async () => {
    const { anonymous } = await boot({ now: NOW });

    const { body } = await ask(anonymous, { ...GRANT, ...OWN, scope: 'openid  profile' }).expect(200);

    expect(body.scope).toBe('openid profile');
    const claims = await verified({ anonymous }, body.access_token);
    expect(claims).toMatchObject({ scope: 'openid profile', scopes: ['openid', 'profile'] });
  });
});

describe('OAuth_Token for the client of an organization', () => {
  it('issues a token with the organization and all scopes of the client for one hour', async () => {
    const { anonymous } = await boot({ now: NOW });

    const { body } = await ask(anonymous, { ...GRANT, ...ACME }).expect(200);

    expect(body).toMatchObject({ expires_in: 3599, scope: 'invoices:read' });
    expect(await verified({ anonymous }, body.access_token)).toMatchObject({
      sub: ACME.client_id,
      client_id: ACME.client_id,
      oid: 'org_10000000000000001',
      exp: SECONDS + 3600,
      scope: 'invoices:read',
      scopes: ['invoices:read'],
    });
  });

  it('issues a token with the lifetime of the client', async () => {
    const { anonymous, control } = await boot({ now: NOW });
    await control.patch(`/state/clients/${ACME.client_id}`).send({ expiry: 600 }).expect(200);

    const { body } = await ask(anonymous, { ...GRANT, ...ACME }).expect(200);

    expect(body.expires_in).toBe(599);
  });

  it("grants some of the client's scopes and refuses others", async () => {
    const { anonymous, control } = await boot();
    const scopes = ['invoices:read', 'invoices:write'];
    await control.patch(`/state/clients/${ACME.client_id}`).send({ scopes }).expect(200);

    const part = await ask(anonymous, { ...GRANT, ...ACME, scope: 'invoices:write' });
    const more = await ask(anonymous, { ...GRANT, ...ACME, scope: 'invoices:write users:read' });

    expect(part).toMatchObject({ status: 200, body: { scope: 'invoices:write' } });
    expect(more.status).toBe(400);
    expect(more.body).toEqual({
      error: 'invalid_scope',
      error_description: "scope users:read is not one of the client's",
    });
  });

  it('finds the client in another environment only by the environment header', async () => {
    const { anonymous, environment } = await boot();
    const { control } = await environment('worker-1', { clock: { mode: 'frozen', at: NOW } });
    await addSecret(control, ACME.client_id, 'only there');
    const form = { ...GRANT, client_id: ACME.client_id, client_secret: 'only there' };

    const inWorker = await ask(anonymous, form).set({ 'understudy-environment': 'worker-1' });
    const inDefault = await ask(anonymous, form);

    expect([inWorker.status, inDefault.status]).toEqual([200, 401]);
    expect(await verified({ anonymous }, inWorker.body.access_token)).toMatchObject({
      understudy_environment: 'worker-1',
    });
  });
});

describe('OAuth_Token refuses', () => {
  const INVALID = { error: 'invalid_client', error_description: 'invalid client_id / client_secret' };
  const cases: [title: string, form: object | string, status: number, body: object][] = [
    ['a wrong secret', { ...GRANT, ...OWN, client_secret: 'wrong' }, 401, INVALID],
    ['an empty secret', { ...GRANT, ...OWN, client_secret: '' }, 401, INVALID],
    ['a missing secret', { ...GRANT, client_id: OWN.client_id }, 401, INVALID],
    ['an unknown client', { ...GRANT, ...OWN, client_id: 'skc_1' }, 401, INVALID],
    ["another client's secret", { ...GRANT, ...OWN, client_secret: ACME.client_secret }, 401, INVALID],
    ['missing credentials', GRANT, 401, { error: 'invalid_client', error_description: 'client_id missing' }],
    ['a missing grant', OWN, 400, { error: 'invalid_request', error_description: 'grant_type missing' }],
    ['an empty body', '', 400, { error: 'invalid_request', error_description: 'grant_type missing' }],
    [
      'another grant',
      { ...OWN, grant_type: 'password' },
      400,
      { error: 'unsupported_grant_type', error_description: 'password not supported' },
    ],
  ];

  it.each(cases)('%s', async (_, form, status, body) => {
    const { anonymous } = await boot();

    const refused = await ask(anonymous, form);

    expect({ status: refused.status, body: refused.body }).toEqual({ status, body });
    expect(refused.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="understudy"' : undefined);
  });

  it.each([
    ['a repeated parameter', 'grant_type=client_credentials&grant_type=client_credentials'],
    ['a repeated client id', 'grant_type=client_credentials&client_id=a&client_id=b'],
  ])('%s', async (_, form) => {
    const { anonymous } = await boot();

    const refused = await ask(anonymous, form);

    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('a body that is not a form', async () => {
    const { anonymous } = await boot();

    const refused = await anonymous.post('/oauth/token').send({ ...GRANT, ...OWN });

    expect(refused.status).toBe(415);
    expect(refused.body).toEqual({
      error: 'invalid_request',
      error_description: 'content type application/json is not one of application/x-www-form-urlencoded',
    });
  });

  it('an unreadable HTTP Basic header', async () => {
    const { anonymous } = await boot();

    const refused = await ask(anonymous, GRANT).set({ authorization: 'Basic bm8tY29sb24=' });

    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it('a deleted client', async () => {
    const { anonymous, control } = await boot();
    await control.delete(`/state/clients/${ACME.client_id}`).expect(204);

    const refused = await ask(anonymous, { ...GRANT, ...ACME });

    expect(refused).toMatchObject({ status: 401, body: INVALID });
  });

  it('with an OAuth error when a scenario scripts the failure', async () => {
    const { anonymous, control } = await boot();
    const rules = [{ on: 'OAuth_Token', reply: { error: 'rate_limited', message: 'slow down' } }];
    await control.post('/scenarios').send({ name: 'busy', rules }).expect(201);

    const refused = await ask(anonymous, { ...GRANT, ...OWN });

    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: 'temporarily_unavailable', error_description: 'slow down' });
  });
});

async function addSecret(control: Agent, client: string, secret: string): Promise<void> {
  const { body } = await control.get(`/state/clients/${client}`).expect(200);
  const added = { id: 'sec_10000000000000002', secret, create_time: NOW };
  await control
    .patch(`/state/clients/${client}`)
    .send({ secrets: [...body.secrets, added] })
    .expect(200);
}
