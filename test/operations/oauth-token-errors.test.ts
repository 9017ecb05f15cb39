import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import {
  CALLBACK,
  OWN,
  PKCE,
  PORTAL,
  PORTAL_CALLBACK,
  SPA,
  SPA_CALLBACK,
  VERIFIER,
  ask,
  codeOf,
  exchange,
  refresh,
  tokensOf,
} from './oauth-support.ts';

const WRONG_CLIENT = ['invalid_client', 'invalid client_id / client_secret'];

const WRONG_VERIFIER = ['invalid_request', 'code_verifier is not 43 to 128 letters, digits, or - . _ ~'];

type Case = [form: Record<string, string>, error: string[]];

/** The error table of the reference (login-and-tokens 1.7): form, error and description. */
async function cases(booted: Awaited<ReturnType<typeof boot>>): Promise<Record<string, Case>> {
  const plain = await codeOf(booted);
  const challenged = await codeOf(booted, PKCE);
  const portal = await codeOf(booted, { client_id: PORTAL.client_id, redirect_uri: PORTAL_CALLBACK });
  const spa = await codeOf(booted, { client_id: SPA.client_id, redirect_uri: SPA_CALLBACK, ...PKCE });
  const { refresh_token } = await tokensOf(booted);
  const ofSpa = { grant_type: 'authorization_code', code: spa, redirect_uri: SPA_CALLBACK, ...SPA };
  return {
    'no grant': [OWN, ['invalid_request', 'grant_type missing']],
    'an unknown grant': [
      { ...OWN, grant_type: 'password' },
      ['unsupported_grant_type', 'password not supported'],
    ],
    'a grant named like an object property': [
      { ...OWN, grant_type: 'constructor' },
      ['unsupported_grant_type', 'constructor not supported'],
    ],
    'a client of an organization': [
      { ...exchange(plain), client_id: 'm2morg_10000000000000001', client_secret: 'test_acme_m2m_secret' },
      ['unauthorized_client', 'client missing grant type authorization_code'],
    ],
    'no code': [{ ...exchange(plain), code: '' }, ['invalid_request', 'code missing']],
    'an unknown code': [exchange('an-unknown-code-of-some-length'), ['invalid_grant', 'invalid code']],
    "another client's code": [
      { ...exchange(plain), ...PORTAL },
      ['invalid_grant', 'the code was issued to another client'],
    ],
    'another redirect_uri': [
      { ...exchange(plain), redirect_uri: `${CALLBACK}/` },
      ['invalid_grant', 'redirect_uri does not correspond'],
    ],
    'no redirect_uri': [
      { grant_type: 'authorization_code', code: plain, ...OWN },
      ['invalid_grant', 'redirect_uri does not correspond'],
    ],
    'no verifier': [exchange(challenged), ['invalid_request', 'code_challenge required']],
    'another verifier': [
      { ...exchange(challenged), code_verifier: `${VERIFIER}-2` },
      ['invalid_grant', 'invalid code challenge'],
    ],
    'a verifier of 42 characters': [
      { ...exchange(challenged), code_verifier: VERIFIER.slice(0, 42) },
      WRONG_VERIFIER,
    ],
    'a verifier of 129 characters': [
      { ...exchange(challenged), code_verifier: 'a'.repeat(129) },
      WRONG_VERIFIER,
    ],
    'a verifier with a character that is not allowed': [
      { ...exchange(challenged), code_verifier: VERIFIER.replace('a', '+') },
      WRONG_VERIFIER,
    ],
    'the challenge itself as verifier': [
      { ...exchange(challenged), code_verifier: PKCE.code_challenge },
      ['invalid_grant', 'invalid code challenge'],
    ],
    'a verifier without a challenge': [
      { ...exchange(plain), code_verifier: VERIFIER },
      ['invalid_request', 'code_verifier unexpectedly provided'],
    ],
    'a public client without verifier': [ofSpa, ['invalid_request', 'code_challenge required']],
    'a secret of a public client': [{ ...ofSpa, client_secret: 'x', code_verifier: VERIFIER }, WRONG_CLIENT],
    'a wrong secret': [{ ...exchange(plain), client_secret: 'wrong' }, WRONG_CLIENT],
    'an inactive secret': [
      { ...exchange(portal), ...PORTAL, client_secret: 'test_portal_old_secret' },
      WRONG_CLIENT,
    ],
    'an unknown client': [{ ...exchange(plain), client_id: 'skc_1' }, WRONG_CLIENT],
    'no client': [{ grant_type: 'authorization_code', code: plain }, ['invalid_client', 'client_id missing']],
    'neither secret nor PKCE': [{ ...exchange(plain), client_secret: '' }, WRONG_CLIENT],
    'wrong client credentials': [
      { grant_type: 'client_credentials', ...OWN, client_secret: 'wrong' },
      WRONG_CLIENT,
    ],
    'client credentials of a public client': [{ grant_type: 'client_credentials', ...SPA }, WRONG_CLIENT],
    'no refresh token': [refresh(''), ['invalid_request', 'refresh_token missing']],
    'an unknown refresh token': [refresh('rt_x'), ['invalid_grant', 'invalid refresh token']],
    "another client's refresh token": [
      { ...refresh(refresh_token), ...PORTAL },
      ['invalid_grant', 'the refresh token was issued to another client'],
    ],
    'a refresh token without the secret of its client': [
      { grant_type: 'refresh_token', refresh_token, client_id: OWN.client_id },
      WRONG_CLIENT,
    ],
    'a scope that was not granted': [
      { ...refresh(refresh_token), scope: 'openid admin' },
      ['invalid_scope', 'scope admin was not granted'],
    ],
  };
}

describe('OAuth_Token', () => {
  it('answers the error and the description of the reference, with 401 only for invalid clients', async () => {
    const booted = await boot();
    const table = Object.entries(await cases(booted));

    const answers: Record<string, unknown> = {};
    for (const [title, [form]] of table) {
      const { status, body } = await ask(booted.anonymous, form);
      answers[title] = [status, body.error, body.error_description];
    }

    const expected = table.map(([title, [, [error, description]]]) => [
      title,
      [error === 'invalid_client' ? 401 : 400, error, description],
    ]);
    expect(answers).toEqual(Object.fromEntries(expected));
  });

  it('refuses a grant type that the client does not list', async () => {
    const booted = await boot();
    const { refresh_token } = await tokensOf(booted);
    const code = await codeOf(booted);
    const grant_types = ['client_credentials'];
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send({ grant_types }).expect(200);

    const answers = [
      await ask(booted.anonymous, exchange(code)),
      await ask(booted.anonymous, refresh(refresh_token)),
    ];

    expect(answers.map(({ body }) => body)).toEqual([
      { error: 'unauthorized_client', error_description: 'client missing grant type authorization_code' },
      { error: 'unauthorized_client', error_description: 'client missing grant type refresh_token' },
    ]);
  });

  it('issues no refresh token to a client without the grant type refresh_token', async () => {
    const booted = await boot();
    const grant_types = ['authorization_code'];
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send({ grant_types }).expect(200);

    expect(await tokensOf(booted)).not.toHaveProperty('refresh_token');
  });

  it('requires PKCE for a public client even when the code has no challenge', async () => {
    const booted = await boot();
    const code = await codeOf(booted);
    const { body: state } = await booted.control.get('/state').expect(200);
    const { id } = state.authorization_codes[0];
    await booted.control.patch(`/state/authorization_codes/${id}`).send(SPA).expect(200);

    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...SPA };
    const refused = await ask(booted.anonymous, form);

    expect(refused.body).toEqual({ error: 'invalid_request', error_description: 'PKCE required' });
  });
});

describe('client authentication', () => {
  const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const form = { grant_type: 'client_credentials' };
  const OF_OWN = basic(OWN.client_id, OWN.client_secret);

  it.each(['/oauth/token', '/oauth/introspect', '/revoke'])(
    'accepts only one method at a time at %s',
    async (path) => {
      const { anonymous } = await boot();

      const refused = await anonymous
        .post(path)
        .set({ authorization: OF_OWN })
        .type('form')
        .send({ ...form, token: 'x', ...OWN })
        .expect(400);

      expect(refused.body).toEqual({
        error: 'invalid_request',
        error_description: 'client_secret is in the form, and HTTP Basic in the header: send one',
      });
    },
  );

  it('refuses two different client ids', async () => {
    const { anonymous } = await boot();

    const refused = await anonymous
      .post('/oauth/token')
      .set({ authorization: OF_OWN })
      .type('form')
      .send({ ...form, client_id: PORTAL.client_id })
      .expect(400);

    expect(refused.body).toEqual({
      error: 'invalid_request',
      error_description: 'client_id of the form is not the one of HTTP Basic in the header',
    });
  });

  it('accepts a repeated client_id and an empty secret with HTTP Basic', async () => {
    const { anonymous } = await boot();

    await anonymous
      .post('/oauth/token')
      .set({ authorization: OF_OWN })
      .type('form')
      .send({ ...form, client_id: OWN.client_id, client_secret: '' })
      .expect(200);
  });

  it.each(['Basic', 'Basic !!!', `Basic ${btoa('no colon')}`, `Basic ${btoa('id:secret!')}=`, 'Basic aTpz!'])(
    'refuses an unreadable HTTP Basic header: %s',
    async (authorization) => {
      const { anonymous } = await boot();

      const refused = await anonymous
        .post('/oauth/token')
        .set({ authorization })
        .type('form')
        .send({ ...form, ...OWN })
        .expect(401);

      expect(refused.body).toEqual({
        error: 'invalid_client',
        error_description: 'the authorization header has no Base64 of client_id:client_secret',
      });
    },
  );
});

describe('a response of the OAuth endpoints', () => {
  const UNKEPT = { 'cache-control': 'no-store', pragma: 'no-cache' };

  it.each([
    ['post', '/oauth/token', { grant_type: 'client_credentials', ...OWN }, 200],
    ['post', '/oauth/token', {}, 400],
    ['post', '/oauth/introspect', { token: 'x', ...OWN }, 200],
    ['post', '/oauth/introspect', {}, 401],
    ['post', '/revoke', { token: 'x', ...OWN }, 200],
    ['post', '/revoke', {}, 401],
    ['get', '/userinfo', undefined, 401],
  ] as const)('has no-store headers: %s %s %j', async (verb, path, form, status) => {
    const { anonymous } = await boot();

    const answer = await anonymous[verb](path).type('form').send(form).expect(status);

    expect(answer.headers).toMatchObject(UNKEPT);
  });

  it('has no-store headers for user data and for scripted failures', async () => {
    const booted = await boot();
    const { access_token } = await tokensOf(booted);
    const rules = [{ on: 'OAuth_Token', reply: { error: 'unavailable' } }];

    const userInfo = await booted.anonymous
      .get('/userinfo')
      .set({ authorization: `Bearer ${access_token}` })
      .expect(200);
    await booted.control.post('/scenarios').send({ name: 'down', rules }).expect(201);
    const failed = await ask(booted.anonymous, refresh('x')).expect(503);

    expect(userInfo.headers).toMatchObject(UNKEPT);
    expect(failed.headers).toMatchObject(UNKEPT);
  });
});
