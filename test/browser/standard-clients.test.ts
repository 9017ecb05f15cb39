import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { signIn } from './support/pages.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';

/** The only option: it allows plain http. */
const http = { [oauth.allowInsecureRequests]: true };
const client: oauth.Client = { client_id: KNOWN_CREDENTIALS.client_id };
const secret = oauth.ClientSecretPost(KNOWN_CREDENTIALS.client_secret);

describe('oauth4webapi', () => {
  it('accepts discovery, the code flow, userinfo, refresh, introspection and revocation', async () => {
    const stage = await setStage();
    const server = await discover(stage);

    const { tokens, sub } = await codeFlow(stage, server);
    const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, http);
    const who = await oauth.processUserInfoResponse(server, client, sub, userinfo);
    expect(who).toMatchObject({ sub, email: 'ada@acme.example' });

    const refreshing = await oauth.refreshTokenGrantRequest(
      server,
      client,
      secret,
      tokens.refresh_token!,
      http,
    );
    const next = await oauth.processRefreshTokenResponse(server, client, refreshing);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);

    expect(await introspect(server, next.access_token)).toMatchObject({ active: true, sub });
    const revoking = await oauth.revocationRequest(server, client, secret, next.refresh_token!, http);
    await oauth.processRevocationResponse(revoking);
    expect(await introspect(server, next.refresh_token!)).toEqual({ active: false });
  });
});

describe('openid-client', () => {
  it('refreshes with each token; one that is reused later revokes the token family', async () => {
    const { party, control } = await setStage();
    const page = await openWindow();
    await signIn(page, party, 'Ada Byrne');
    const first = party.tokens!.refresh_token!;

    const second = (await party.refresh(first)).refresh_token!;
    expect(await party.userinfo()).toMatchObject({ email: 'ada@acme.example' });
    await control('POST', '/clock/advance', { by: '10s' });
    await expect(party.refresh(first)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(party.refresh(second)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('works as a public client with a registered redirect URI', async () => {
    const spa = { client_id: 'skc_10000000000000003' };
    const { party, control } = await setStage({ client: spa });
    await control('PATCH', `/state/clients/${spa.client_id}`, { post_login_uris: [party.callback] });
    const page = await openWindow();

    await signIn(page, party, 'Ada Byrne');

    expect(party.claims.aud).toEqual([spa.client_id]);
    expect((await party.refresh()).access_token).toEqual(expect.any(String));
  });
});

async function discover({ issuer }: Stage): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http));
}

async function codeFlow({ issuer }: Stage, server: oauth.AuthorizationServer) {
  const redirect_uri = `${issuer}/ui/signed-in`;
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const asked = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid email offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  const page = await openWindow();
  await page.goto(`${server.authorization_endpoint}?${asked}`);
  await page.getByRole('button', { name: 'Ada Byrne' }).click();
  await page.waitForURL(`${redirect_uri}?**`);

  const given = oauth.validateAuthResponse(server, client, new URL(page.url()), state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    given,
    redirect_uri,
    verifier,
    http,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  return { tokens, sub: oauth.getValidatedIdTokenClaims(tokens)!.sub };
}

async function introspect(server: oauth.AuthorizationServer, token: string) {
  const answer = await oauth.introspectionRequest(server, client, secret, token, http);
  return oauth.processIntrospectionResponse(server, client, answer);
}
