import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import {
  CALLBACK,
  NOW,
  OWN,
  PKCE,
  PORTAL,
  PORTAL_CALLBACK,
  SECONDS,
  SPA,
  SPA_CALLBACK,
  VERIFIER,
  ask,
  codeOf,
  exchange,
  halfHash,
  refresh,
  verified,
} from './oauth-support.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

const PERMISSIONS = expect.arrayContaining(['sk_org_scim_read']);

describe('OAuth_Token with an authorization code', () => {
  it('issues the tokens that the scopes request', async () => {
    const booted = await boot({ now: NOW });

    const { body } = await ask(booted.anonymous, exchange(await codeOf(booted))).expect(200);

    const jwt = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(body).toEqual({
      access_token: jwt,
      id_token: jwt,
      refresh_token: expect.stringMatching(/^rt_\w{40}$/),
      token_type: 'Bearer',
      expires_in: 299,
      scope: 'openid profile email offline_access',
    });
  });

  it('puts user, organization, session, roles and permissions into the access token', async () => {
    const booted = await boot({ now: NOW });

    const { body } = await ask(booted.anonymous, exchange(await codeOf(booted))).expect(200);

    expect(await verified(booted, body.access_token)).toEqual({
      iss: 'http://localhost:8080',
      sub: ADA,
      aud: [OWN.client_id],
      client_id: OWN.client_id,
      iat: SECONDS,
      nbf: SECONDS,
      exp: SECONDS + 300,
      jti: expect.stringMatching(/^tkn_\d{17,}$/),
      oid: ACME,
      sid: expect.stringMatching(/^ses_\d{17,}$/),
      roles: ['admin'],
      permissions: PERMISSIONS,
      scope: 'openid profile email offline_access',
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      xoid: 'crm-acme',
      xuid: 'crm-acme-ada',
    });
  });

  it('puts the user and the sign-in method into the id_token', async () => {
    const booted = await boot({ now: NOW });
    const code = await codeOf(booted, { nonce: 'n-1' });

    const { body } = await ask(booted.anonymous, exchange(code)).expect(200);

    expect(await verified(booted, body.id_token)).toEqual({
      iss: 'http://localhost:8080',
      sub: ADA,
      aud: [OWN.client_id],
      azp: OWN.client_id,
      client_id: OWN.client_id,
      iat: SECONDS,
      exp: SECONDS + 1800,
      amr: ['conn_10000000000000251'],
      oid: ACME,
      sid: expect.stringMatching(/^ses_\d{17,}$/),
      xoid: 'crm-acme',
      nonce: 'n-1',
      at_hash: halfHash(body.access_token),
      c_hash: halfHash(code),
      email: 'ada@acme.example',
      email_verified: true,
      name: 'Ada Byrne',
      given_name: 'Ada',
      family_name: 'Byrne',
    });
  });

  it('names the organization in org_id too with the setting org_id_claim', async () => {
    const booted = await boot({ now: NOW });
    await booted.control.patch('/state/settings/settings').send({ org_id_claim: true }).expect(200);

    const { body } = await ask(booted.anonymous, exchange(await codeOf(booted))).expect(200);
    const authorization = `Bearer ${body.access_token}`;
    const info = await booted.anonymous.get('/userinfo').set({ authorization }).expect(200);

    const claims = { oid: ACME, org_id: ACME };
    expect(await verified(booted, body.access_token)).toMatchObject(claims);
    expect(await verified(booted, body.id_token)).toMatchObject(claims);
    expect(info.body).toMatchObject(claims);
  });

  it('leaves out claims and tokens that the scopes do not include', async () => {
    const booted = await boot({ now: NOW });

    const bare = await ask(booted.anonymous, exchange(await codeOf(booted, { scope: 'openid' }))).expect(200);
    const none = await ask(booted.anonymous, exchange(await codeOf(booted, { scope: 'email' }))).expect(200);

    const claims = await verified(booted, bare.body.id_token);
    for (const name of ['email', 'email_verified', 'name', 'given_name'])
      expect(claims).not.toHaveProperty(name);
    expect(bare.body).not.toHaveProperty('refresh_token');
    expect(none.body).not.toHaveProperty('id_token');
  });

  it('adds custom attributes of the user without overwriting claims', async () => {
    const booted = await boot({ now: NOW });
    const { body: user } = await booted.control.get(`/state/users/${ADA}`).expect(200);
    const custom_attributes = {
      department: 'Engines',
      sub: 'usr_1',
      roles: 'root',
      iss: 'https://evil.example',
    };
    const user_profile = { ...user.user_profile, custom_attributes };
    await booted.control.patch(`/state/users/${ADA}`).send({ user_profile }).expect(200);

    const { body } = await ask(booted.anonymous, exchange(await codeOf(booted))).expect(200);

    const claims = await verified(booted, body.id_token);
    expect(claims).toMatchObject({ department: 'Engines', sub: ADA, iss: 'http://localhost:8080' });
    expect(claims).not.toHaveProperty('roles');
  });

  it('issues tokens with the lifetime of the client', async () => {
    const booted = await boot({ now: NOW });
    const code = await codeOf(booted, { client_id: PORTAL.client_id, redirect_uri: PORTAL_CALLBACK });

    const form = { ...exchange(code), ...PORTAL, redirect_uri: PORTAL_CALLBACK };
    const { body } = await ask(booted.anonymous, form).expect(200);

    expect(body.expires_in).toBe(3599);
    expect(await verified(booted, body.access_token)).toMatchObject({ exp: SECONDS + 3600 });
  });

  it('accepts credentials in HTTP Basic', async () => {
    const booted = await boot({ now: NOW });
    const form = { grant_type: 'authorization_code', code: await codeOf(booted), redirect_uri: CALLBACK };

    await ask(booted.anonymous, form).auth(OWN.client_id, OWN.client_secret).expect(200);
  });

  it.each([
    ['a single-page application', SPA.client_id, SPA_CALLBACK],
    ['a web application that sends no secret', PORTAL.client_id, PORTAL_CALLBACK],
  ])('accepts PKCE without a secret from %s', async (_, client_id, redirect_uri) => {
    const booted = await boot({ now: NOW });
    const code = await codeOf(booted, { client_id, redirect_uri, ...PKCE });
    const form = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: VERIFIER };

    const { body } = await ask(booted.anonymous, form).expect(200);

    const next = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id };
    await ask(booted.anonymous, next).expect(200);
  });

  it('issues tokens for a user whom only a connection knows', async () => {
    const booted = await boot({ now: NOW });
    const code = 'a-code-of-a-connection-that-vouches';
    const identity = {
      connection_id: 'conn_10000000000000251',
      email: 'grace@acme.example',
      email_verified: true,
      attributes: { given_name: 'Grace', department: 'Compilers', oid: 'org_1' },
    };
    const subject = 'conn_10000000000000251;grace@acme.example';
    await booted.control.put('/state/authorization_codes/authc_10000000000000901').send({
      id: 'authc_10000000000000901',
      code,
      client_id: OWN.client_id,
      redirect_uri: CALLBACK,
      scopes: ['openid', 'profile', 'email'],
      subject,
      connection_ids: ['conn_10000000000000251'],
      identity,
      created_at: NOW,
      expires_at: '2030-01-01T00:10:00.000Z',
    });

    const { body } = await ask(booted.anonymous, exchange(code)).expect(200);

    expect(body.expires_in).toBe(899);
    const access = await verified(booted, body.access_token);
    expect(access).toMatchObject({ sub: subject, aud: [OWN.client_id], exp: SECONDS + 900 });
    for (const name of ['oid', 'sid', 'roles', 'permissions']) expect(access).not.toHaveProperty(name);
    const id = await verified(booted, body.id_token);
    expect(id).toMatchObject({
      sub: subject,
      exp: SECONDS + 259_200,
      amr: ['conn_10000000000000251'],
      email: 'grace@acme.example',
      email_verified: true,
      name: 'Grace',
      department: 'Compilers',
    });
    expect(id).not.toHaveProperty('oid');
  });

  it('accepts a code for ten minutes by the clock', async () => {
    const booted = await boot({ now: NOW });
    const [first, second] = [await codeOf(booted), await codeOf(booted)];
    await booted.control.post('/clock/advance').send({ by: '599s' }).expect(200);
    await ask(booted.anonymous, exchange(first)).expect(200);
    await booted.control.post('/clock/advance').send({ by: '1s' }).expect(200);

    const late = await ask(booted.anonymous, exchange(second));

    expect(late).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'invalid code' },
    });
  });

  it('revokes all tokens of a code that is used twice', async () => {
    const booted = await boot();
    const code = await codeOf(booted);
    const first = (await ask(booted.anonymous, exchange(code)).expect(200)).body;
    const next = (await ask(booted.anonymous, refresh(first.refresh_token)).expect(200)).body;

    await ask(booted.anonymous, exchange(code)).expect(400);

    for (const token of [first.access_token, next.access_token, next.refresh_token]) {
      const question = booted.anonymous.post('/oauth/introspect').type('form');
      expect((await question.send({ token, ...OWN }).expect(200)).body).toEqual({ active: false });
    }
    for (const { access_token } of [first, next])
      await booted.anonymous
        .get('/userinfo')
        .set({ authorization: `Bearer ${access_token}` })
        .expect(401);
    const other = (await ask(booted.anonymous, exchange(await codeOf(booted))).expect(200)).body;
    await booted.anonymous
      .get('/userinfo')
      .set({ authorization: `Bearer ${other.access_token}` })
      .expect(200);
  });

  it('revokes the access token of a reused code that issued no refresh token', async () => {
    const booted = await boot();
    const code = await codeOf(booted, { scope: 'openid' });
    const { access_token } = (await ask(booted.anonymous, exchange(code)).expect(200)).body;

    await ask(booted.anonymous, exchange(code)).expect(400);

    await booted.anonymous
      .get('/userinfo')
      .set({ authorization: `Bearer ${access_token}` })
      .expect(401);
  });

  it('refuses a reused code and its refresh tokens', async () => {
    const booted = await boot({ now: NOW });
    const code = await codeOf(booted);
    const { body } = await ask(booted.anonymous, exchange(code)).expect(200);

    const again = await ask(booted.anonymous, exchange(code));

    const refused = { status: 400, body: { error: 'invalid_grant' } };
    expect(again).toMatchObject(refused);
    expect(await ask(booted.anonymous, refresh(body.refresh_token))).toMatchObject(refused);
  });

  it('keeps a code valid after a failed request', async () => {
    const booted = await boot({ now: NOW });
    const code = await codeOf(booted, PKCE);
    const form = { ...exchange(code), code_verifier: VERIFIER };
    const failing = [
      { ...form, client_secret: 'wrong' },
      { ...form, ...PORTAL },
      { ...form, redirect_uri: 'http://localhost:3000/elsewhere' },
      { ...form, code_verifier: VERIFIER.toUpperCase() },
    ];
    for (const each of failing) await ask(booted.anonymous, each);

    await ask(booted.anonymous, form).expect(200);
  });

  it('refuses a code whose session was revoked', async () => {
    const booted = await boot({ now: NOW });
    const code = await codeOf(booted);
    await booted.api.post(`/api/v1/users/${ADA}/sessions/revoke`).expect(200);

    const refused = await ask(booted.anonymous, exchange(code));

    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});
