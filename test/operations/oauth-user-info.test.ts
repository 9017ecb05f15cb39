import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import {
  CALLBACK,
  NOW,
  OWN,
  PORTAL,
  SPA,
  SPA_CALLBACK,
  PKCE,
  VERIFIER,
  ask,
  codeOf,
  exchange,
  refresh,
  tokensOf,
  verified,
} from './oauth-support.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const askWithToken = (
  { anonymous }: Booted,
  path: '/oauth/introspect' | '/revoke',
  form: Record<string, string>,
) => anonymous.post(path).set('host', 'localhost:8080').type('form').send(form);

describe('OAuth_UserInfo', () => {
  it.each(['get', 'post'] as const)("returns the claims of the token's user by %s", async (verb) => {
    const booted = await boot({ now: NOW });
    const { access_token, id_token } = await tokensOf(booted);

    const { body } = await booted.anonymous[verb]('/userinfo').set(bearer(access_token)).expect(200);

    expect(body).toEqual({
      sub: ADA,
      email: 'ada@acme.example',
      email_verified: true,
      name: 'Ada Byrne',
      given_name: 'Ada',
      family_name: 'Byrne',
      oid: ACME,
      xoid: 'crm-acme',
    });
    expect((await verified(booted, id_token)).sub).toBe(body.sub);
  });

  it('takes the token in the form of a POST, in the environment of the token, and shows it nowhere', async () => {
    const booted = await boot({ now: NOW });
    const { access_token } = await tokensOf(booted);
    const send = (form: object) => booted.anonymous.post('/userinfo').type('form').send(form);

    const { body } = await send({ access_token }).set('host', 'worker-1.localhost').expect(200);

    expect(body).toMatchObject({ sub: ADA, email: 'ada@acme.example' });
    const { body: journal } = await booted.control.get('/requests?operation=OAuth_UserInfo').expect(200);
    expect(JSON.stringify(journal)).not.toContain(access_token);
    expect((await send({ access_token: `${access_token}x` })).body.error).toBe('invalid_token');
    expect((await send({ access_token: '' })).body.error_description).toBe('Token empty');
    await booted.anonymous.get(`/userinfo?access_token=${access_token}`).expect(401);
  });

  it('refuses two tokens', async () => {
    const booted = await boot({ now: NOW });
    const { access_token } = await tokensOf(booted);
    const send = (form: string) => booted.anonymous.post('/userinfo').type('form').send(form);

    const refused = [
      await send(`access_token=${access_token}`).set(bearer(access_token)).expect(400),
      await send(`access_token=${access_token}&access_token=${access_token}`).expect(400),
    ];

    for (const { body } of refused)
      expect(body).toEqual({
        error: 'invalid_request',
        error_description: 'the call has several access tokens; send one, in the header or in the form',
      });
  });

  it('returns only the claims that the scopes of the token include', async () => {
    const booted = await boot({ now: NOW });
    const { access_token } = await tokensOf(booted, { scope: 'openid' });

    const { body } = await booted.anonymous.get('/userinfo').set(bearer(access_token)).expect(200);

    expect(body).toEqual({ sub: ADA, oid: ACME, xoid: 'crm-acme' });
  });

  it('refuses invalid access tokens with OAuth errors', async () => {
    const booted = await boot({ now: NOW });
    const { access_token, id_token } = await tokensOf(booted);
    const other = await booted.environment('worker-1');
    const get = (headers: Record<string, string>) => booted.anonymous.get('/userinfo').set(headers);

    const refused = [
      await get({}),
      await get(bearer('opaque')),
      await get(bearer(id_token)),
      await get({ ...bearer(access_token), 'understudy-environment': 'worker-1' }),
    ];
    await booted.control.post('/clock/advance').send({ by: '5m' }).expect(200);
    refused.push(await get(bearer(access_token)));

    expect(refused.map(({ status, body }) => [status, body.error, body.error_description])).toEqual([
      [401, 'invalid_token', 'Token empty'],
      [401, 'invalid_token', 'token is malformed or was not issued here'],
      [401, 'invalid_token', 'token is not an access token'],
      [401, 'invalid_token', 'token was issued in environment default, and this call is for worker-1'],
      [401, 'invalid_token', 'token is expired'],
    ]);
    expect(refused[0]!.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(await get(bearer(other.token))).toMatchObject({ status: 403, body: { error: 'access_denied' } });
  });

  it('accepts a token whose client has disallow_scalekit_api_access', async () => {
    const booted = await boot();
    const { access_token } = await tokensOf(booted);
    const closed = { disallow_scalekit_api_access: true };
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send(closed).expect(200);

    await booted.anonymous.get('/userinfo').set(bearer(access_token)).expect(200);
  });
});

describe('OAuth_Introspect', () => {
  it('returns the claims of a valid token', async () => {
    const booted = await boot({ now: NOW });
    const { access_token, refresh_token } = await tokensOf(booted);

    const access = await askWithToken(booted, '/oauth/introspect', { token: access_token, ...OWN }).expect(
      200,
    );
    const next = await askWithToken(booted, '/oauth/introspect', { token: refresh_token, ...OWN }).expect(
      200,
    );

    const { scopes: _, ...claims } = await verified(booted, access_token);
    expect(access.body).toEqual({
      active: true,
      token_type: 'Bearer',
      username: 'ada@acme.example',
      ...claims,
    });
    expect(next.body).toEqual({
      active: true,
      client_id: OWN.client_id,
      sub: ADA,
      iss: 'http://localhost:8080',
      scope: 'openid profile email offline_access',
      iat: claims.iat,
      oid: ACME,
      sid: claims['sid'],
      username: 'ada@acme.example',
    });
  });

  it('answers inactive for invalid tokens and for tokens of another client', async () => {
    const booted = await boot({ now: NOW });
    const { access_token, id_token, refresh_token } = await tokensOf(booted);
    const rotated = await ask(booted.anonymous, refresh(refresh_token)).expect(200);
    await booted.control.post('/clock/advance').send({ by: '10s' }).expect(200); // the grace period
    const inactive = async (token: string, client: Record<string, string> = OWN) =>
      (await askWithToken(booted, '/oauth/introspect', { token, ...client }).expect(200)).body;

    const answers = [
      await inactive('opaque'),
      await inactive(id_token),
      await inactive(refresh_token),
      await inactive(access_token, PORTAL),
      await inactive(rotated.body.refresh_token, PORTAL),
    ];
    await booted.api.post(`/api/v1/users/${ADA}/sessions/revoke`).expect(200);
    answers.push(await inactive(access_token), await inactive(rotated.body.refresh_token));

    expect(answers).toEqual(answers.map(() => ({ active: false })));
  });

  it('requires client authentication', async () => {
    const booted = await boot();
    const { access_token: token } = await tokensOf(booted);

    const answers = [
      await askWithToken(booted, '/oauth/introspect', { token }),
      await askWithToken(booted, '/oauth/introspect', { token, ...SPA }),
      await askWithToken(booted, '/oauth/introspect', { token, ...OWN, client_secret: 'wrong' }),
      await askWithToken(booted, '/oauth/introspect', OWN),
    ];

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [400, 'invalid_request'],
    ]);
    await booted.anonymous
      .post('/oauth/introspect')
      .auth(OWN.client_id, OWN.client_secret)
      .type('form')
      .send({ token })
      .expect(200);
  });
});

describe('OAuth_Revoke', () => {
  it('revokes a refresh token and its successors', async () => {
    const booted = await boot();
    const { refresh_token } = await tokensOf(booted);
    const { body } = await ask(booted.anonymous, refresh(refresh_token)).expect(200);

    const revoked = await askWithToken(booted, '/revoke', { token: body.refresh_token, ...OWN }).expect(200);

    expect(revoked.text).toBe('');
    const refused = await ask(booted.anonymous, refresh(body.refresh_token));
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('ignores unknown tokens and keeps the access token of a revoked refresh token', async () => {
    const booted = await boot();
    const { access_token, refresh_token, id_token } = await tokensOf(booted);

    for (const token of ['opaque', id_token, refresh_token])
      await askWithToken(booted, '/revoke', { token, ...OWN }).expect(200);

    await booted.anonymous.get('/userinfo').set(bearer(access_token)).expect(200);
  });

  it('revokes an access token of a user and keeps the refresh token', async () => {
    const booted = await boot();
    const { access_token: token, refresh_token } = await tokensOf(booted);

    for (const hint of ['access_token', 'refresh_token'])
      await askWithToken(booted, '/revoke', { token, token_type_hint: hint, ...OWN }).expect(200);

    expect((await askWithToken(booted, '/oauth/introspect', { token, ...OWN })).body).toEqual({
      active: false,
    });
    const refused = await booted.anonymous.get('/userinfo').set(bearer(token)).expect(401);
    expect(refused.body).toEqual({ error: 'invalid_token', error_description: 'token is revoked' });
    await ask(booted.anonymous, refresh(refresh_token)).expect(200);
  });

  it('revokes an access token of a client', async () => {
    const { token, ...booted } = await boot();

    await askWithToken(booted as Booted, '/revoke', { token, ...OWN }).expect(200);

    const refused = await booted.api.get('/api/v1/organizations').expect(401);
    expect(refused.body.message).toBe('token is revoked');
    const answer = await askWithToken(booted as Booted, '/oauth/introspect', { token, ...OWN }).expect(200);
    expect(answer.body).toEqual({ active: false });
  });

  it('stores a revoked token only until it expires', async () => {
    const booted = await boot({ now: NOW });
    const rows = async () => (await booted.control.get('/state/revoked_tokens').expect(200)).body.rows;
    const [first, second] = [await tokensOf(booted), await tokensOf(booted)];
    await askWithToken(booted, '/revoke', { token: first.access_token, ...OWN }).expect(200);
    expect(await rows()).toEqual([
      {
        id: expect.stringMatching(/^tkn_/),
        client_id: OWN.client_id,
        expires_at: '2030-01-01T00:05:00.000Z',
      },
    ]);

    await booted.control.post('/clock/advance').send({ by: '5m' }).expect(200);
    await askWithToken(booted, '/revoke', { token: second.access_token, ...OWN }).expect(200);
    await askWithToken(booted, '/revoke', { token: booted.token, ...OWN }).expect(200);

    expect(await rows()).toEqual([expect.objectContaining({ expires_at: '2030-01-02T00:00:00.000Z' })]);
  });

  it('accepts a public client by its client_id', async () => {
    const booted = await boot();
    const at = { client_id: SPA.client_id, redirect_uri: SPA_CALLBACK };
    const form = { grant_type: 'authorization_code', code_verifier: VERIFIER, ...at };
    const response = await ask(booted.anonymous, { ...form, code: await codeOf(booted, { ...at, ...PKCE }) });

    await askWithToken(booted, '/revoke', { token: response.body.refresh_token, ...SPA }).expect(200);

    const next = { grant_type: 'refresh_token', refresh_token: response.body.refresh_token, ...SPA };
    expect((await ask(booted.anonymous, next)).body.error).toBe('invalid_grant');
  });

  it('refuses tokens of another client', async () => {
    const booted = await boot();
    const { refresh_token: token, access_token } = await tokensOf(booted);

    const answers = [
      await askWithToken(booted, '/revoke', { token, ...PORTAL }),
      await askWithToken(booted, '/revoke', { token: access_token, ...PORTAL }),
      await askWithToken(booted, '/revoke', { token, client_id: OWN.client_id }),
      await askWithToken(booted, '/revoke', { token }),
      await askWithToken(booted, '/revoke', OWN),
    ];

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [400, 'invalid_request'],
    ]);
    await ask(booted.anonymous, refresh(token)).expect(200);
  });
});

describe('OAuth in a named environment', () => {
  it('puts the environment into the address of the login page', async () => {
    const booted = await boot();
    await booted.environment('worker-1');
    const host = { host: 'worker-1.localhost:8080' };
    const path = `/oauth/authorize?client_id=${PORTAL.client_id}&response_type=code&scope=openid`;

    const answer = await booted.anonymous
      .get(`${path}&redirect_uri=https://app.example.com/callback`)
      .set(host);

    expect(answer.headers['location']).toMatch(/\/ui\/login\/worker-1\.req_/);
  });

  it('refuses a code of another environment', async () => {
    const booted = await boot();
    const { control } = await booted.environment('worker-1');
    const code = await codeOf(booted);
    const { body: clients } = await control.get('/state').expect(200);
    const own = clients.clients.find(({ id }: { id: string }) => id.startsWith('skc_worker-1_'));

    const form = { ...exchange(code), client_id: own.id, client_secret: own.secrets[0].secret };
    const refused = await ask(booted.anonymous, { ...form, redirect_uri: CALLBACK });

    expect(refused.body).toEqual({ error: 'invalid_grant', error_description: 'invalid code' });
  });
});
