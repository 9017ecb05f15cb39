import { readFileSync } from 'node:fs';
import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { Keys } from '../../src/state/keys.ts';
import { DEVELOPMENT_KEY, firstKey } from '../../src/state/signing-keys.ts';
import { boot, tokenOf, type Agent } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const LIFETIME = { by: '24h' };

interface Described {
  id: string;
  verb: keyof Agent;
  path: string;
  secured: boolean;
  dialect: string;
}

const document = JSON.parse(readFileSync('dist/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { operationId?: string; security?: unknown[]; 'x-dialect': string }>>;
};

const operations: Described[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([verb, { operationId, security, 'x-dialect': dialect }]) =>
    operationId === undefined
      ? []
      : [{ id: operationId, verb: verb as keyof Agent, path, secured: security?.length !== 0, dialect }],
  ),
);
/** packages/accounts/test/mcp covers the tokens of MCP servers, and packages/provisioning/test/scim the secrets of directories. */
const secured = operations.filter(
  (operation) => operation.secured && operation.dialect !== 'mcp' && operation.dialect !== 'scim',
);
const open = operations.filter(
  ({ id, secured, dialect }) => !secured && dialect !== 'page' && !id.startsWith('McpServer_'),
);

const envelope = (message: string) => ({
  code: 16,
  message,
  details: [
    { '@type': 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo', error_code: 'UNAUTHENTICATED' },
  ],
});

/** The responses of all secured operations to this authorization header, with the id of each operation. */
async function answers(agent: Agent, authorization?: string) {
  const responses: unknown[] = [];
  for (const { id, verb, path } of secured) {
    const call = agent[verb](path).send(verb === 'get' ? undefined : { display_name: 7, connector: '?' });
    const { status, body, headers } = await (authorization === undefined
      ? call
      : call.set({ authorization }));
    responses.push({ id, status, body, challenge: headers['www-authenticate'] });
  }
  return responses;
}

const refused = (message: string) =>
  secured.map(({ id, dialect }) =>
    dialect === 'oauth'
      ? {
          id,
          status: 401,
          body: { error: 'invalid_token', error_description: message },
          challenge: 'Bearer error="invalid_token"',
        }
      : { id, status: 401, body: envelope(message), challenge: 'Bearer' },
  );

const LIST = '/api/v1/organizations';

describe('a secured operation', () => {
  it('is refused without a token before anything else is checked', async () => {
    const { anonymous, control } = await boot();
    const before = await control.get('/state').expect(200);

    const responses = await answers(anonymous);

    expect(secured.length).toBeGreaterThan(20);
    expect(responses).toEqual(refused('Token empty'));
    const after = await control.get('/state').expect(200);
    expect(after.body).toEqual(before.body);
  });

  it('is refused with a scheme other than Bearer', async () => {
    const { anonymous } = await boot();

    const responses = await answers(anonymous, 'Basic c2tjXzE6c2VjcmV0');

    expect(responses).toEqual(refused('authorization is not a bearer token'));
  });

  it('is refused with a malformed token', async () => {
    const { anonymous } = await boot();

    const responses = await answers(anonymous, 'Bearer not.a.token');

    expect(responses).toEqual(refused('token is malformed or was not issued here'));
  });

  it('is refused with a token that was signed with another key', async () => {
    const { anonymous, token } = await boot();
    const { privateKey } = await generateKeyPair('RS256');
    const forged = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'RS256', kid: DEVELOPMENT_KEY.kid, typ: 'JWT' })
      .sign(privateKey);

    const responses = await answers(anonymous, `Bearer ${forged}`);

    expect(responses).toEqual(refused('token is malformed or was not issued here'));
  });

  it('is refused after the token expires by the clock of the environment', async () => {
    const { anonymous, control, token } = await boot({ now: NOW });
    await control.post('/clock/advance').send(LIFETIME).expect(200);

    const responses = await answers(anonymous, `Bearer ${token}`);

    expect(responses).toEqual(refused('token is expired'));
  });

  it('is refused with the token of another environment', async () => {
    const { anonymous, environment, token } = await boot();
    await environment('worker-1');
    const inWorker = { ...anonymous };
    for (const verb of Object.keys(inWorker) as (keyof Agent)[])
      inWorker[verb] = (path) => anonymous[verb](path).set({ 'understudy-environment': 'worker-1' });

    const responses = await answers(inWorker, `Bearer ${token}`);

    expect(responses).toEqual(
      refused('token was issued in environment default, and this call is for worker-1'),
    );
  });

  it('is refused with the token of a deleted client', async () => {
    const { anonymous, control, token } = await boot();
    await control.delete('/state/clients/skc_1000000000000000001').expect(204);

    const responses = await answers(anonymous, `Bearer ${token}`);

    expect(responses).toEqual(refused('client of the token is gone'));
  });
});

describe('an operation without security', () => {
  it('answers without a token', async () => {
    const { anonymous } = await boot();

    const statuses = [];
    for (const { id, verb, path } of open) statuses.push([id, (await anonymous[verb](path)).status]);

    expect(statuses).toEqual([
      ['OAuth_Token', 400],
      ['OAuth_Keys', 200],
      ['OAuth_Introspect', 401],
      ['OAuth_Revoke', 401],
      ['OAuth_Discovery', 200],
      ['OAuth_Discovery2', 200],
      // The others are about a row that is not there.
      ['OAuth_Token2', 404],
      ['ResourceMetadata_GetServer', 404],
      ['ResourceMetadata_GetServer2', 404],
      ['ResourceMetadata_Get', 404],
      ['WebAuthnService_GetRelatedOrigins', 200],
      ['WebAuthnService_BeginAuthentication', 200],
      ['WebAuthnService_FinishAuthentication', 400],
      ['AuthService_ListAuthMethods', 404],
      ['AuthService_DiscoveryAuthMethod', 400],
      ['AuthService_VerifyPasswordLessOtp', 400],
      ['AuthService_ResendPasswordless', 404],
      ['AuthService_ListUserOrganizations', 404],
      ['AuthService_SignupOrganization', 404],
      ['AuthService_GetAuthState', 200],
      ['AuthService_GetAuthError', 400],
      ['AuthService_GetAuthError2', 400],
      ['AuthService_Logout', 200],
      ['AuthService_GetAuthCustomizations', 200],
      ['AuthService_GetAuthFeatures', 200],
      ['DomainService_ListAuthorizedDomains', 400],
      ['ClientService_RegisterClient', 400],
      ['ClientService_GetConsentDetails', 404],
    ]);
  });

  it('answers with an invalid token', async () => {
    const { anonymous } = await boot();

    const keys = await anonymous.get('/keys').set({ authorization: 'Bearer not.a.token' });

    expect(keys.status).toBe(200);
  });
});

describe('a bearer token', () => {
  it('is valid until its last millisecond', async () => {
    const { api, control } = await boot({ now: NOW });
    await control.post('/clock/advance').send({ by: '86399999ms' }).expect(200);

    await api.get(LIST).expect(200);

    await control.post('/clock/advance').send({ by: '1ms' }).expect(200);
    await api.get(LIST).expect(401);
  });

  it('is accepted in any letter case of the scheme', async () => {
    const { anonymous, token } = await boot();

    await anonymous
      .get(LIST)
      .set({ authorization: `bEARER ${token}` })
      .expect(200);
  });

  it('is refused after the organization of its client is deleted', async () => {
    const { api, anonymous, understudy } = await boot();
    const client = { client_id: 'm2morg_10000000000000001', client_secret: 'test_acme_m2m_secret' };
    const authorization = `Bearer ${await tokenOf(understudy.app, client)}`;
    await anonymous.get(LIST).set({ authorization }).expect(200);

    await api.delete('/api/v1/organizations/org_10000000000000001').expect(200);

    const late = await anonymous.get(LIST).set({ authorization }).expect(401);
    expect(late.body).toEqual(envelope('client of the token is gone'));
  });

  it.each([
    ['has no signature', (claims: JWTPayload) => new UnsecuredJWT(claims).encode()],
    [
      'is signed with the public key as a shared secret',
      (claims: JWTPayload) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(DEVELOPMENT_KEY.n)),
    ],
    ['was changed after it was signed', changed],
  ])('is refused when it %s', async (_, forge) => {
    const { anonymous, token } = await boot();
    const forged = await forge(decodeJwt(token), token);

    const response = await anonymous.get(LIST).set({ authorization: `Bearer ${forged}` });

    expect(response).toMatchObject({
      status: 401,
      body: envelope('token is malformed or was not issued here'),
    });
  });

  it('is refused without an expiry time', async () => {
    const { anonymous, token } = await boot();
    const { exp: _, ...endless } = decodeJwt(token);
    const signed = await new Keys().sign(endless, firstKey());

    const response = await anonymous.get(LIST).set({ authorization: `Bearer ${signed}` });

    expect(response).toMatchObject({ status: 401, body: envelope('token is expired') });
  });

  it('is refused each time after it expired', async () => {
    const { anonymous, control, token } = await boot({ now: NOW });
    const authorization = `Bearer ${token}`;
    await anonymous.get(LIST).set({ authorization }).expect(200);
    await control.post('/clock/advance').send(LIFETIME).expect(200);

    await anonymous.get(LIST).set({ authorization }).expect(401);

    await anonymous.get(LIST).set({ authorization }).expect(401);
  });

  it('is checked before a scenario rule counts the call', async () => {
    const { api, anonymous, control } = await boot();
    const rule = { on: 'OrganizationService_ListOrganization', times: 1, reply: { error: 'rate_limited' } };
    await control
      .post('/scenarios')
      .send({ name: 'once', rules: [rule] })
      .expect(201);

    await anonymous.get(LIST).expect(401);

    await api.get(LIST).expect(429);
  });
});

function changed(claims: JWTPayload, token: string): string {
  const [head, , signature] = token.split('.');
  const payload = Buffer.from(JSON.stringify({ ...claims, exp: 4_102_444_800 })).toString('base64url');
  return [head, payload, signature].join('.');
}
