// The methods of the client itself: URLs, codes, tokens and signatures.
import {
  ScalekitServerException,
  ScalekitUnauthorizedException,
  ScalekitValidateTokenFailureException,
  WebhookVerificationError,
} from '@scalekit-sdk/node';
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { ACME, ADA, enter } from './support.ts';

const CALLBACK = 'https://app.example.com/callback';
const OWN_CALLBACK = 'http://localhost:3000/callback';
const SECRET = 'whsec_dGVzdHNlY3JldA==';
const env = await enter();
const scalekit = env.connect();

it('builds the URLs for a browser', () => {
  const authorize = new URL(scalekit.getAuthorizationUrl(CALLBACK, { organizationId: ACME, state: 's' }));
  expect(authorize.pathname).toBe('/oauth/authorize');
  expect(Object.fromEntries(authorize.searchParams)).toMatchObject({
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile email',
    organization_id: ACME,
    state: 's',
  });
  expect(scalekit.getLogoutUrl({ postLogoutRedirectUri: CALLBACK })).toContain('/oidc/logout?');
});

/** The query parameters of the callback after a sign-in without a page. */
async function signedIn(): Promise<URLSearchParams> {
  const scopes = ['openid', 'profile', 'email', 'offline_access'];
  const loginHint = 'ada@acme.example';
  const url = scalekit.getAuthorizationUrl(OWN_CALLBACK, { loginHint, scopes, state: 's', nonce: 'n' });
  const answer = await fetch(`${url}&understudy_auto=1`, { redirect: 'manual' });
  return new URL(answer.headers.get('location')!).searchParams;
}

it('exchanges a code and a refresh token, each once', async () => {
  const back = await signedIn();
  const code = back.get('code')!;
  const { user, accessToken, idToken, refreshToken, expiresIn } = await scalekit.authenticateWithCode(
    code,
    OWN_CALLBACK,
  );
  expect(back.get('state')).toBe('s');
  expect(user).toMatchObject({ id: ADA, email: 'ada@acme.example', givenName: 'Ada' });
  expect(expiresIn).toBeGreaterThan(0);
  expect(await scalekit.validateAccessToken(accessToken)).toBe(true);
  expect(await scalekit.validateToken(idToken, { audience: [env.clientId] })).toMatchObject({
    sub: ADA,
    nonce: 'n',
    oid: ACME,
  });

  const fresh = await scalekit.refreshAccessToken(refreshToken!);
  expect(await scalekit.validateToken(fresh.accessToken)).toMatchObject({ sub: ADA });
  expect(fresh.refreshToken).not.toBe(refreshToken);
  expect((await scalekit.refreshAccessToken(fresh.refreshToken)).accessToken).toMatch(/^ey/);

  await expect(scalekit.authenticateWithCode(code, OWN_CALLBACK)).rejects.toMatchObject({
    response: { status: 400, data: { error: 'invalid_grant' } },
  });
});

it('ends the session of the given id_token', async () => {
  const { idToken, refreshToken } = await scalekit.authenticateWithCode(
    (await signedIn()).get('code')!,
    OWN_CALLBACK,
  );
  const url = scalekit.getLogoutUrl({
    idTokenHint: idToken,
    postLogoutRedirectUri: OWN_CALLBACK,
    state: 'bye',
  });
  const out = await fetch(url, { redirect: 'manual' });
  expect(out.headers.get('location')).toBe(`${OWN_CALLBACK}?state=bye`);
  await expect(scalekit.refreshAccessToken(refreshToken!)).rejects.toThrow(/Failed to refresh token/);
});

it('validates tokens', async () => {
  const token = await scalekit.getClientAccessToken();
  expect(await scalekit.validateAccessToken(token)).toBe(true);
  expect(await scalekit.validateAccessToken(`${token}x`)).toBe(false);
  const { iss, sub } = await scalekit.validateToken<{ iss: string; sub: string }>(token);
  expect(sub).toBe(env.clientId);
  await scalekit.validateToken(token, { issuer: iss });
  await expect(scalekit.validateToken(token, { issuer: 'https://elsewhere.example' })).rejects.toThrow(
    ScalekitValidateTokenFailureException,
  );
  expect(await scalekit.getIdpInitiatedLoginClaims(token)).toMatchObject({ sub });
  expect(await scalekit.generateClientToken(sub, env.clientSecret)).toMatch(/^ey/);
  await expect(scalekit.generateClientToken(sub, 'wrong')).rejects.toThrow(ScalekitUnauthorizedException);
});

it('verifies the scopes of a token', async () => {
  const made = await scalekit.m2m.createOrganizationClient(ACME, { scopes: ['invoices:read'] });
  const token = await scalekit.generateClientToken(made.client!.clientId, made.plainSecret);
  expect(scalekit.verifyScopes(token, ['invoices:read'])).toBe(true);
  expect(() => scalekit.verifyScopes(token, ['invoices:write'])).toThrow(
    ScalekitValidateTokenFailureException,
  );
});

it('fetches a new token when the old one has expired', async () => {
  await scalekit.organization.getOrganization(ACME);
  await env.control('POST', '/clock/advance', { by: '25h' });
  expect(await scalekit.organization.getOrganization(ACME)).toMatchObject({ organization: { id: ACME } });
});

it('retries until the service is available', async () => {
  await env.play('unavailable', { operation: 'OrganizationService_GetOrganization', times: 1 });
  expect(await scalekit.organization.getOrganization(ACME)).toMatchObject({ organization: { id: ACME } });
});

it('throws for an unknown code and an unknown refresh token', async () => {
  const refused = await scalekit.authenticateWithCode('nothing', CALLBACK).catch((thrown) => thrown);
  expect(refused.response).toMatchObject({ status: 400, data: { error: expect.stringMatching(/_grant/) } });
  await expect(scalekit.refreshAccessToken('nothing')).rejects.toThrow(/Failed to refresh token/);
});

it.each([
  ['webhook', scalekit.verifyWebhookPayload.bind(scalekit)],
  ['interceptor', scalekit.verifyInterceptorPayload.bind(scalekit)],
])('verifies the signature of a %s', (kind, verify) => {
  const payload = JSON.stringify({ type: 'organization.created' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', Buffer.from(SECRET.split('_')[1]!, 'base64'))
    .update(`evt_1.${timestamp}.${payload}`)
    .digest('base64');
  const headers = {
    [`${kind}-id`]: 'evt_1',
    [`${kind}-timestamp`]: timestamp,
    [`${kind}-signature`]: `v1,${signature}`,
  };
  expect(verify(SECRET, headers, payload)).toBe(true);
  expect(() => verify(SECRET, headers, `${payload} `)).toThrow(WebhookVerificationError);
  expect(() => verify(SECRET, {}, payload)).toThrow(WebhookVerificationError);
});

it('has one base class for all errors of the service', () =>
  expect(scalekit.organization.getOrganization('')).rejects.toThrow(ScalekitServerException));
