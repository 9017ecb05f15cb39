import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openWindow, setStage, type Stage } from './support/stage.ts';
import { back, begin, hasHeading, typeAddress } from './support/pages.ts';

const CONNECTION = {
  provider: 'CUSTOM',
  type: 'WEBAUTHN',
  status: 'COMPLETED',
  enabled: true,
  provider_key: 'WEBAUTHN',
  key_id: 'WEBAUTHN',
  webauthn_config: { authenticator_selection: { user_verification: 'required' } },
};

const WITHOUT_AUTOFILL = {
  ...CONNECTION,
  webauthn_config: { ...CONNECTION.webauthn_config, enable_conditional_login: false },
};

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

interface PlaywrightPasskey {
  rp_id: string;
  playwright: { id: string; userHandle: string; privateKey: string; publicKey: string };
}

async function withAuthenticator(page: Page) {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: AUTHENTICATOR,
  });
  return { cdp, authenticatorId };
}

async function stage(row = CONNECTION): Promise<Stage> {
  const made = await setStage();
  await made.control('PUT', '/state/connections/conn_10000000000000299', row);
  return made;
}

describe('a passkey of Chromium', () => {
  it('is added on the page of passkeys, and signs in with the button', async () => {
    const { party, issuer, control } = await stage(WITHOUT_AUTOFILL);
    const page = await openWindow();
    await withAuthenticator(page);
    await begin(page, party);
    await typeAddress(page, 'yuki@lumen.example');
    await back(page, party);

    await page.goto(`${issuer}/ui/profile/passkeys`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await page.context().clearCookies();
    await begin(page, party);
    await page.getByRole('button', { name: 'Continue with Passkey' }).click();
    await back(page, party);

    await hasHeading(page, 'Signed in');
    expect(party.claims).toMatchObject({ email: 'yuki@lumen.example' });
    const { rows } = await control<{ rows: { sign_count: number }[] }>('GET', '/state/passkeys');
    expect(rows.at(-1)!.sign_count).toBeGreaterThan(1);
  });

  it('signs in by autofill with the key of the software authenticator', async () => {
    const { party, control } = await stage();
    const wanted = { user: 'yuki@lumen.example', rp_id: 'localhost' };
    const passkey = await control<{ cdp: never }>('POST', '/passkeys', wanted);
    const page = await openWindow();
    const { cdp, authenticatorId } = await withAuthenticator(page);
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: passkey.cdp });

    await begin(page, party);
    await back(page, party);

    expect(party.claims).toMatchObject({ email: 'yuki@lumen.example' });
  });

  it.each([
    ['autofill', CONNECTION],
    ['the button', WITHOUT_AUTOFILL],
  ])("signs in by %s with a passkey of Playwright's context", async (way, settings) => {
    const { party, control } = await stage(settings);
    const wanted = { user: 'yuki@lumen.example', rp_id: 'localhost' };
    const passkey = await control<PlaywrightPasskey>('POST', '/passkeys', wanted);
    const page = await openWindow();
    const { credentials } = page.context();
    await credentials.create(passkey.rp_id, passkey.playwright);
    await credentials.install();

    await begin(page, party);
    if (way === 'the button') await page.getByRole('button', { name: 'Continue with Passkey' }).click();
    await back(page, party);

    expect(party.claims).toMatchObject({ email: 'yuki@lumen.example' });
  });

  it('belongs to the host of its environment', async () => {
    const { issuer, party, control } = await setStage();
    const { client_id } = await control<{ client_id: string }>('POST', '/environments', { name: 'acme' });
    const state = '/environments/acme/state';
    // The authenticator confirms at once, so with autofill the browser would sign in before a click on the button.
    await control('PUT', `${state}/connections/conn_10000000000000299`, WITHOUT_AUTOFILL);
    const host = issuer.replace('localhost', 'acme.localhost');
    const asked = { client_id, response_type: 'code', redirect_uri: party.callback, scope: 'openid' };
    const signIn = `${host}/oauth/authorize?${new URLSearchParams(asked)}`;
    const page = await openWindow();
    const { cdp, authenticatorId } = await withAuthenticator(page);
    await page.goto(signIn);
    await typeAddress(page, 'yuki@lumen.example');
    await page.waitForURL(`${party.callback}?code=*`);

    await page.goto(`${host}/ui/profile/passkeys`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await page.context().clearCookies();
    await page.goto(signIn);
    await page.getByRole('button', { name: 'Continue with Passkey' }).click();

    await page.waitForURL(`${party.callback}?code=*`);
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'acme.localhost', signCount: expect.any(Number) }]);
    const rows = `${state}/passkeys`;
    expect((await control<{ rows: object[] }>('GET', rows)).rows.at(-1)).toMatchObject({
      sign_count: credentials[0]!.signCount,
    });
  });
});
