import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { bootOnce, type Booted } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { ADA, askToken, claimsOf, REPORTING } from '../support/resources.ts';
import { ACME, OKTA, TASK_SERVER } from '../support/fixture-ids.ts';

const { fresh } = bootOnce({ baseUrl: 'http://understudy.test' });

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The identity provider of Acme's single sign-on, with a key of its own, and what it can assert. */
async function withProvider(alg = 'RS256', { isDiscovered = false } = {}) {
  const booted = await fresh();
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg };
  const provider = await receiver();
  const issuer = provider.url.replace('/asked', '');
  const jwks_uri = `${issuer}/keys`;
  provider.answers((response, { path }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(path === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri }));
  });
  const oidc_config = { issuer, ...(!isDiscovered && { jwks_uri }) };
  await booted.control.patch(`/state/connections/${OKTA}`).send({ oidc_config }).expect(200);
  await booted.api.patch(`/api/v1/resources/${TASK_SERVER}`).send({ xaa_enabled: true }).expect(200);
  const { body } = await booted.api.get(`/api/v1/resources/${TASK_SERVER}`).expect(200);
  const [audience] = body.resource.protected_metadata.authorization_servers as string[];
  const sign = (claims: JWTPayload = {}, header: object = {}) =>
    new SignJWT({
      iss: issuer,
      sub: 'okta-user-1',
      email: ADA.email,
      aud: audience!,
      client_id: REPORTING.client_id,
      scope: 'todo:read',
      jti: randomUUID(),
      iat: now(),
      exp: now() + 300,
      ...claims,
    })
      .setProtectedHeader({ alg, kid: 'k1', typ: 'oauth-id-jag+jwt', ...header })
      .sign(privateKey);
  return { booted, provider, sign };
}

const now = () => Math.floor(Date.now() / 1000);

const exchange = ({ anonymous, own }: Booted, assertion: string, more: object = {}) =>
  askToken(anonymous, `${own.name}.${TASK_SERVER}`, {
    grant_type: JWT_BEARER,
    assertion,
    ...REPORTING,
    ...more,
  });

describe('An identity assertion', () => {
  it.each([
    ['RS256', {}],
    ['ES256', {}],
    ['EdDSA', {}],
    ['RS256', { isDiscovered: true }],
  ])('of an identity provider gets an access token for the user: %s %j', async (alg, options) => {
    const { booted, provider, sign } = await withProvider(alg, options);

    const { body } = await exchange(booted, await sign()).expect(200);

    expect(claimsOf(body.access_token)).toMatchObject({
      sub: ADA.id,
      oid: ACME,
      aud: ['http://localhost:3001/mcp', TASK_SERVER],
      client_id: REPORTING.client_id,
      scopes: ['todo:read'],
    });
    expect(body).not.toHaveProperty('refresh_token');
    const calls = await booted.control.get('/requests?operation=OAuth_Token&limit=1').expect(200);
    expect(calls.body.requests.at(-1).providers.at(-1)).toMatchObject({ status: 200, method: 'GET' });
    expect(provider.received.map(({ path }) => path).at(-1)).toBe('/keys');
  });

  it('is announced by the metadata of a resource that enables it', async () => {
    const { booted } = await withProvider();
    const { anonymous, own } = booted;

    const { body } = await anonymous
      .get(`/.well-known/oauth-authorization-server/resources/${own.name}.${TASK_SERVER}`)
      .expect(200);

    expect(body.grant_types_supported).toContain(JWT_BEARER);
  });

  it.each<[string, JWTPayload, object, RegExp]>([
    ['of an issuer that no connection has', { iss: 'https://evil.example' }, {}, /iss .* is not trusted/],
    ['for another server', { aud: 'https://other.example' }, {}, /is not in aud of the assertion/],
    ['for another client', { client_id: 'm2m_1' }, {}, /is not the client_id of the assertion/],
    ['that has expired', { exp: now() - 1 }, {}, /the clock is past exp/],
    ['that is not valid yet', { nbf: now() + 86_400 }, {}, /the clock is before nbf/],
    ['that was issued in the future', { iat: now() + 3600 }, {}, /the clock is before iat/],
    ['that is good for years', { exp: now() + 31 * 365 * 86_400 }, {}, /more than 24 hours before exp/],
    ['whose time is a text', { exp: String(now() + 60) as never }, {}, /exp is not a number in the claims/],
    ['whose time is a list', { exp: [now() + 60] as never }, {}, /exp is not a number in the claims/],
    ['of another type', {}, { typ: 'JWT' }, /oauth-id-jag\+jwt is not the typ/],
    ['with another key', {}, { kid: 'k2' }, /no key of http.* has signed the assertion/],
    ['about nobody', { email: 'nobody@acme.example' }, {}, /sub of the assertion is not a user: okta-user-1/],
    ['about a stranger', { email: 'yuki@lumen.example' }, {}, /is not a member of org_10000000000000001/],
  ])('is refused: one %s', async (_, claims, header, message) => {
    const { booted, sign } = await withProvider();

    const { body } = await exchange(booted, await sign(claims, header)).expect(400);

    expect(body).toEqual({ error: 'invalid_grant', error_description: expect.stringMatching(message) });
  });

  it('is refused if it is no JWT, if its signature was changed, or if no key can be read', async () => {
    const { booted, provider, sign } = await withProvider();
    const good = await sign();
    const [head, , signature] = good.split('.');
    const [, payload] = (await sign({ email: 'ravi@acme.example' })).split('.');
    const unsigned = Buffer.from('{"alg":"none","typ":"oauth-id-jag+jwt"}').toString('base64url');
    const told = [];

    for (const assertion of ['x', `${good}=`, `${head}.${payload}.${signature}`, `${unsigned}.${payload}.eA`])
      told.push((await exchange(booted, assertion).expect(400)).body.error_description);
    provider.answers((response) => response.writeHead(500).end());
    told.push((await exchange(booted, good).expect(400)).body.error_description);

    expect(told).toEqual([
      'assertion is not a signed JWT',
      'assertion is not a signed JWT',
      expect.stringMatching(/no key of/),
      expect.stringMatching(/no key of/),
      expect.stringMatching(/\/keys answered 500/),
    ]);
  });

  it('is good once', async () => {
    const { booted, sign } = await withProvider();
    const assertion = await sign();
    await exchange(booted, assertion).expect(200);

    const { body } = await exchange(booted, assertion).expect(400);

    expect(body.error_description).toMatch(/^the assertion was used before/);
    await exchange(booted, await sign()).expect(200);
  });

  it('does not allow more scopes than it names', async () => {
    const { booted, sign } = await withProvider();
    await booted.api
      .patch(`/api/v1/resources/${TASK_SERVER}/clients/${REPORTING.client_id}?update_mask=scopes`)
      .send({ scopes: [] })
      .expect(200);

    const { body } = await exchange(booted, await sign(), { scope: 'todo:write' }).expect(400);

    expect(body.error).toBe('invalid_scope');
  });

  it('makes nobody fetch keys before the client has proved itself', async () => {
    const { booted, provider, sign } = await withProvider();

    await exchange(booted, await sign(), { client_secret: 'wrong' }).expect(401);

    expect(provider.received).toEqual([]);
  });
});
