import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { back, begin, hasHeading, signIn } from './support/pages.ts';
import { RelyingParty } from './support/relying-party.ts';
import { openWindow, setStage, type Stage } from './support/stage.ts';
import { ADA } from '../support/fixture-ids.ts';

const PORTAL = { client_id: 'skc_10000000000000002', client_secret: 'test_portal_secret' };

describe('a back-channel logout in the browser', () => {
  it('sends the application a logout token that it can verify', async () => {
    const stage = await setStage();
    await isTold(stage, KNOWN_CREDENTIALS.client_id, stage.party);
    const page = await openWindow();
    await signIn(page, stage.party, 'Ada Byrne');
    const { sub, sid } = stage.party.claims;

    await page.goto(`${stage.party.url}/logout`);
    await page.waitForURL(`${stage.party.url}/home?**`);
    await delivered(stage);

    await hasHeading(page, 'Home of the application');
    expect(stage.party.backChannel).toHaveLength(1);
    expect(await verified(stage, stage.party, KNOWN_CREDENTIALS.client_id)).toMatchObject({ sub, sid });
  });

  it('is sent to the other applications of the session too', async () => {
    const stage = await setStage();
    const other = await RelyingParty.start(stage.issuer, PORTAL);
    await stage.control('PATCH', `/state/clients/${PORTAL.client_id}`, { post_login_uris: [other.callback] });
    await isTold(stage, PORTAL.client_id, other);
    const page = await openWindow();
    await signIn(page, stage.party, 'Ada Byrne');
    // The browser has a session, so no page is shown.
    await begin(page, other);
    await back(page, other);

    await page.goto(`${stage.party.url}/logout`);
    await page.waitForURL(`${stage.party.url}/home?**`);
    await delivered(stage);

    expect(stage.party.backChannel).toEqual([]);
    const { sid } = other.claims;
    expect(sid).toBe(stage.party.claims['sid']);
    expect(await verified(stage, other, PORTAL.client_id)).toMatchObject({ sub: ADA, sid });
  });
});

const isTold = ({ control }: Stage, client_id: string, { url }: RelyingParty) =>
  control('PATCH', `/state/clients/${client_id}`, { back_channel_logout_uris: [`${url}/back-channel`] });

const delivered = ({ control }: Stage) =>
  control('GET', '/outgoing/wait?kind=back_channel_logout&status=DELIVERED&timeout=2m');

/**
 * Verifies the logout token as an application must (OpenID Connect Back-Channel Logout 2.6), and returns
 * its claims.
 */
async function verified({ issuer }: Stage, { backChannel }: RelyingParty, audience: string) {
  const token = new URLSearchParams(backChannel[0]).get('logout_token') ?? '';
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL('/keys', issuer)), {
    issuer,
    audience,
    typ: 'logout+jwt',
    requiredClaims: ['iat', 'exp', 'jti', 'sub', 'sid'],
  });
  expect(payload['events']).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
  expect(payload).not.toHaveProperty('nonce');
  return payload;
}
