import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { askToken, codeFor, exchange, registered } from '../support/resources.ts';
import { tokensOf } from './oauth-support.ts';
import { TASK_SERVER } from '../support/fixture-ids.ts';

const document = (base: string) => ({
  issuer: base,
  authorization_endpoint: `${base}/oauth/authorize`,
  token_endpoint: `${base}/oauth/token`,
  userinfo_endpoint: `${base}/userinfo`,
  jwks_uri: `${base}/keys`,
  end_session_endpoint: `${base}/oidc/logout`,
  introspection_endpoint: `${base}/oauth/introspect`,
  revocation_endpoint: `${base}/revoke`,
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  prompt_values_supported: ['none', 'login', 'create', 'select_account', 'consent'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  claims_supported: expect.arrayContaining(['sub', 'oid', 'sid', 'roles', 'email', 'name', 'amr']),
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});

const DISCOVERY = '/.well-known/openid-configuration';

describe('OAuth_Discovery', () => {
  it('lists the endpoints under the host of the request', async () => {
    const { anonymous } = await boot();

    const found = await anonymous.get(DISCOVERY).set({ host: 'sim.test:9000' }).expect(200);

    expect(found.body).toEqual(document('http://sim.test:9000'));
  });

  it('lists the endpoints under the configured base URL', async () => {
    const { anonymous } = await boot({ baseUrl: 'https://auth.acme.example' });

    const found = await anonymous.get(DISCOVERY).set({ host: 'sim.test:9000' }).expect(200);

    expect(found.body).toEqual(document('https://auth.acme.example'));
  });

  it('notes in the journal that tokens and keys come from two addresses', async () => {
    const booted = await boot();
    const { client_id } = await registered(booted, TASK_SERVER);
    const code = await codeFor(booted, TASK_SERVER, { client_id });
    const form = exchange(client_id, code);
    await askToken(booted.anonymous, TASK_SERVER, form).set('host', 'sim.test:9000').expect(200);

    await booted.anonymous.get('/keys').set('host', 'sim.test:9000').expect(200);
    await booted.anonymous.get('/keys').set('host', 'sim.test:443').expect(200);

    const { body } = await booted.control.get('/requests?operation=OAuth_Keys').expect(200);
    const notes = body.requests.map((each: { notes?: string[] }) => each.notes?.[0]);
    expect(notes.filter(Boolean)).toEqual([
      expect.stringContaining(
        'have the issuer http://sim.test:9000, and the keys were fetched at http://sim.test:443: ',
      ),
    ]);
  });

  it('has the same issuer as the tokens', async () => {
    const { anonymous, token } = await boot({ baseUrl: 'https://auth.acme.example' });

    const found = await anonymous.get(DISCOVERY).expect(200);

    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect(claims.iss).toBe(found.body.issuer);
  });
});

describe('OAuth_Discovery at the address of RFC 8414', () => {
  it('returns the same document', async () => {
    const { anonymous } = await boot();

    const found = await anonymous.get(DISCOVERY).expect(200);
    const other = await anonymous
      .get('/.well-known/oauth-authorization-server')
      .set('host', new URL(found.body.issuer).host)
      .expect(200);

    expect(other.body).toEqual(found.body);
  });

  it('lists only claims that tokens contain', async () => {
    const booted = await boot();
    const { access_token, id_token } = await tokensOf(booted, { nonce: 'n-1', max_age: '60' });
    const { body } = await booted.anonymous.get(DISCOVERY).expect(200);

    const had = [access_token, id_token].flatMap((token) => Object.keys(decodeJwt(token)));

    const optional = ['picture', 'preferred_username', 'locale'];
    expect([...new Set([...had, ...optional])]).toEqual(expect.arrayContaining(body.claims_supported));
  });
});

describe('the ways to authenticate at /revoke that the metadata lists', () => {
  const methods = async (anonymous: Agent, path: string) =>
    (await anonymous.get(path).expect(200)).body.revocation_endpoint_auth_methods_supported as string[];
  const revoke = (anonymous: Agent, client_id: string) =>
    anonymous.post('/revoke').type('form').send({ client_id, token: 'unknown' });

  it('are those that work, for a public client of the environment', async () => {
    const { api, anonymous } = await boot();
    const { body } = await api
      .post('/api/v1/clients')
      .send({ name: 'Browser', client_type: 'SPA' })
      .expect(200);

    const { status } = await revoke(anonymous, body.client.id);

    expect([status, await methods(anonymous, DISCOVERY)]).toEqual([200, expect.arrayContaining(['none'])]);
  });

  it('are those that work, for a public client of a protected resource', async () => {
    const booted = await boot();
    const { client_id } = await registered(booted, TASK_SERVER);

    const { status } = await revoke(booted.anonymous, client_id);

    const metadata = `/resources/${TASK_SERVER}/.well-known/oauth-authorization-server`;
    expect([status, await methods(booted.anonymous, metadata)]).toEqual([
      401,
      ['client_secret_basic', 'client_secret_post'],
    ]);
  });
});

describe('OAuth_Keys', () => {
  it('returns the public part of the signing key only', async () => {
    const { anonymous } = await boot();

    const { body } = await anonymous.get('/keys').expect(200);

    expect(body).toEqual({
      keys: [
        {
          kty: 'RSA',
          use: 'sig',
          alg: 'RS256',
          kid: expect.stringMatching(/^snk_\d{17,}$/),
          n: expect.stringMatching(/^[\w-]{342}$/),
          e: 'AQAB',
        },
      ],
    });
  });

  it('returns the same keys in each environment, with each seed and after a reset', async () => {
    const first = await boot({ seed: 1 });
    const second = await boot({ seed: 2 });
    await first.environment('worker-1');
    const keys = await first.anonymous.get('/keys').expect(200);
    await first.control.post('/reset').expect(204);

    const others = [
      await first.anonymous.get('/keys').expect(200),
      await first.anonymous.get('/keys').set({ 'understudy-environment': 'worker-1' }).expect(200),
      await second.anonymous.get('/keys').expect(200),
    ];

    expect(others.map(({ body }) => body)).toEqual([keys.body, keys.body, keys.body]);
  });
});
