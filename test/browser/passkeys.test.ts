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

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

async function withAuthenticator(page: Page) {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: AUTHENTICATOR,
  });
  return { cdp, authenticatorId };
}

async function stage(settings: object = {}): Promise<Stage> {
  const made = await setStage();
  const webauthn_config = { ...CONNECTION.webauthn_config, ...settings };
  const row = { ...CONNECTION, webauthn_config };
  await made.control('PUT', '/state/connections/conn_10000000000000299', row);
  return made;
}

describe('a passkey of Chromium', () => {
  it('is added on the page of passkeys, and signs in with the button', async () => {
    const { party, issuer, control } = await stage({ enable_conditional_login: false });
    const page = await openWindow();
    await withAuthenticator(page);
    await begin(page, party);
    await typeAddress(page, 'priya@contractor.example');
    await back(page, party);

    await page.goto(`${issuer}/ui/profile/passkeys`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await page.context().clearCookies();
    await begin(page, party);
    await page.getByRole('button', { name: 'Continue with Passkey' }).click();
    await back(page, party);

    await hasHeading(page, 'Signed in');
    expect(party.claims).toMatchObject({ email: 'priya@contractor.example' });
    const { rows } = await control<{ rows: { sign_count: number }[] }>('GET', '/state/passkeys');
    expect(rows.at(-1)!.sign_count).toBeGreaterThan(1);
  });

  it('signs in by autofill with the key of the software authenticator', async () => {
    const { party, control } = await stage();
    const wanted = { user: 'priya@contractor.example', rp_id: 'localhost' };
    const passkey = await control<{ cdp: never }>('POST', '/passkeys', wanted);
    const page = await openWindow();
    const { cdp, authenticatorId } = await withAuthenticator(page);
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: passkey.cdp });

    await begin(page, party);
    await back(page, party);

    expect(party.claims).toMatchObject({ email: 'priya@contractor.example' });
  });
});
