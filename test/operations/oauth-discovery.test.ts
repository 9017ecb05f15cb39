import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

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
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
});

const DISCOVERY = '/.well-known/openid-configuration';

describe('OAuth_Discovery', () => {
  it('names the endpoints at the address that the caller used', async () => {
    const { anonymous } = await boot();

    const found = await anonymous.get(DISCOVERY).set({ host: 'sim.test:9000' }).expect(200);

    expect(found.body).toEqual(document('http://sim.test:9000'));
  });

  it('names the endpoints at the base URL that the program was started with', async () => {
    const { anonymous } = await boot({ baseUrl: 'https://auth.acme.example' });

    const found = await anonymous.get(DISCOVERY).set({ host: 'sim.test:9000' }).expect(200);

    expect(found.body).toEqual(document('https://auth.acme.example'));
  });

  it('has the issuer that is in the tokens', async () => {
    const { anonymous, token } = await boot({ baseUrl: 'https://auth.acme.example' });

    const found = await anonymous.get(DISCOVERY).expect(200);

    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect(claims.iss).toBe(found.body.issuer);
  });
});

describe('OAuth_Keys', () => {
  it('gives the public half of the signing key, and nothing of the private one', async () => {
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

  it('stays the same in every environment, with every seed and after a reset', async () => {
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
