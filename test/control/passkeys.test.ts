import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { asAda, beginAuthentication, beginRegistration, PASSKEYS } from '../support/passkeys.ts';
import { notFound } from '../support/violations.ts';
import { ADA } from '../support/fixture-ids.ts';

const LAPTOP = 'YWRhLXdvcmstbGFwdG9wLT8-';
const FINISH = `${PASSKEYS}/authentication:finish`;

const create = async ({ control }: Pick<Booted, 'control'>, wanted: object = {}) =>
  (
    await control
      .post('/passkeys')
      .send({ user: 'ada@acme.example', ...wanted })
      .expect(200)
  ).body;

const sign = ({ control }: Pick<Booted, 'control'>, challenge: string, wanted: object = {}) =>
  control.post('/passkeys/sign').send({ challenge, ...wanted });

/** Signs in with a passkey of the software authenticator; returns the answer of the last call. */
async function signIn(booted: Booted, wanted: object = {}) {
  const { challenge } = await beginAuthentication(booted);
  const { body } = await sign(booted, challenge, wanted).expect(200);
  return booted.anonymous.post(FINISH).send(body.body);
}

describe('Control_CreatePasskey', () => {
  it('registers a passkey in the fields that Playwright and CDP take', async () => {
    const booted = await boot();

    const passkey = await create(booted, { rp_id: 'acme.localhost', display_name: 'Phone' });

    const { credential_id } = passkey;
    const handle = Buffer.from(ADA);
    const key = {
      privateKey: expect.stringMatching(/^MIGH[\w-]+$/),
      publicKey: expect.stringMatching(/^MFkw/),
    };
    expect(passkey).toEqual({
      id: expect.stringMatching(/^cred_/),
      user_id: ADA,
      credential_id: expect.stringMatching(/^[\w-]{22}$/),
      rp_id: 'acme.localhost',
      sign_count: 0,
      playwright: { id: credential_id, userHandle: handle.toString('base64url'), ...key },
      cdp: {
        credentialId: Buffer.from(credential_id, 'base64url').toString('base64'),
        isResidentCredential: true,
        rpId: 'acme.localhost',
        privateKey: Buffer.from(passkey.playwright.privateKey, 'base64url').toString('base64'),
        userHandle: handle.toString('base64'),
        signCount: 0,
        userName: 'ada@acme.example',
      },
    });
    const { body } = await booted.api.get(`${PASSKEYS}/credentials?user_id=${ADA}`).expect(200);
    expect(body.credentials[2]).toMatchObject({ id: passkey.id, display_name: 'Phone' });
  });

  it('makes the same key in an environment of the same name and seed', async () => {
    const keys = [];
    for (const seed of [1, 1, 2]) {
      const { environment } = await boot();
      const clock = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
      keys.push((await create(await environment('twin', { seed, clock }))).cdp.privateKey);
    }

    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('refuses an unknown user', async () => {
    const { control } = await boot();

    const { body } = await control.post('/passkeys').send({ user: 'nobody@acme.example' }).expect(404);

    expect(body).toEqual(notFound('user nobody@acme.example not found'));
  });
});

describe('Control_ListPasskeys', () => {
  it('lists the passkey of the fixture, also after the service has removed it', async () => {
    const { api, control } = await boot();
    await api.delete(`${PASSKEYS}/credentials/cred_10000000000000501`).expect(200);

    const { body } = await control.get('/passkeys').expect(200);

    expect(body.passkeys).toHaveLength(1);
    expect(body.passkeys[0]).toMatchObject({ credential_id: LAPTOP, rp_id: '127.0.0.1' });
    expect(body.passkeys[0]).not.toHaveProperty('id');
  });
});

describe('Control_SignPasskeyChallenge', () => {
  it.each(['ES256', 'EdDSA'])('signs in with %s, and counts', async (algorithm) => {
    const booted = await boot();
    await create(booted, { algorithm });

    const answers = [await signIn(booted), await signIn(booted)];

    expect(answers.map(({ status, body }) => [status, body.user_id])).toEqual([
      [200, ADA],
      [200, ADA],
    ]);
    const { body } = await booted.control.get('/state/passkeys').expect(200);
    expect(body.rows[2].sign_count).toBe(2);
  });

  it('signs with the passkey of the fixture', async () => {
    const booted = await boot();

    expect((await signIn(booted, { credential_id: LAPTOP })).body.user_id).toBe(ADA);
  });

  it('registers a passkey of the calling user, with which the next sign-in passes', async () => {
    const booted = await boot();
    const user = await asAda(booted);

    const { body } = await sign(booted, await beginRegistration(user)).expect(200);
    await user.post(`${PASSKEYS}/registration:finish`).send(body.body).expect(200);

    expect(body.operation).toBe('WebAuthnService_FinishRegistration');
    expect((await signIn(booted)).body.user_id).toBe(ADA);
    const { body: state } = await booted.control.get('/state/passkeys').expect(200);
    expect(state.rows[2]).toMatchObject({ user_id: ADA, sign_count: 1 });
  });

  it.each([
    [
      'a counter that goes back',
      { sign_count: 0 },
      /^the signature counter is 0, but the passkey has reached 1/,
    ],
    [
      'another origin',
      { origin: 'http://evil.example' },
      /^client_data_json has the origin http:\/\/evil\.example/,
    ],
  ])('makes %s, which the service refuses', async (_, wanted, refusal) => {
    const booted = await boot();
    await create(booted);
    await signIn(booted);

    const { status, body } = await signIn(booted, wanted);

    expect([status, body.message]).toEqual([400, expect.stringMatching(refusal)]);
  });

  it('does not verify the user if that is wanted', async () => {
    const booted = await boot();
    await create(booted);

    await signIn(booted, { user_verified: false });

    const { body } = await booted.control.get('/state/passkeys').expect(200);
    expect(body.rows[2].authenticator_flags.user_verified).toBe(false);
  });

  it('gives the same signature for the same calls', async () => {
    const signatures = [];
    for (let round = 0; round < 2; round += 1) {
      const booted = await boot({ now: '2030-01-01T00:00:00.000Z', baseUrl: 'http://service.example' });
      await create(booted);
      const { challenge } = await beginAuthentication(booted);
      const { body } = await sign(booted, challenge);
      signatures.push(body.body.response.signature);
    }

    expect(signatures[1]).toBe(signatures[0]);
  });

  it('offers no passkey of another user or host', async () => {
    const booted = await boot();
    await booted.control.delete('/state/authenticator_keys/apk_10000000000000501').expect(204);
    await create(booted, { rp_id: 'other.localhost' });
    const { challenge } = await beginAuthentication(booted, { email: 'ada@acme.example' });

    const { body } = await sign(booted, challenge).expect(404);

    expect(body).toEqual(
      notFound(`passkey of the software authenticator for 127.0.0.1 of user ${ADA} not found`),
    );
  });

  it.each([['an unknown challenge', {}, 'challenge AAAA not found']])(
    'refuses %s',
    async (_, wanted, message) => {
      const booted = await boot();

      const { body } = await sign(booted, 'AAAA', wanted).expect(404);

      expect(body).toEqual(notFound(message));
    },
  );

  it('refuses a row whose key is none', async () => {
    const booted = await boot();
    const row = { private_key: 'AAAA' };
    await booted.control.patch('/state/authenticator_keys/apk_10000000000000501').send(row).expect(200);
    const { challenge } = await beginAuthentication(booted);

    const { body } = await sign(booted, challenge).expect(400);

    expect(body.message).toBe('authenticator_keys/apk_10000000000000501: private_key is not a key in PKCS#8');
  });
});
