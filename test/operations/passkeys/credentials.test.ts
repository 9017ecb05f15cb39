import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { invalid, notFound, refusal, tooLong, tooShort } from '../../support/violations.ts';
import { ADA, LAPTOP_KEY, RAVI } from '../../support/fixture-ids.ts';

const KEY = 'cred_10000000000000502';
const PATH = '/api/v1/webauthn/credentials';
const NOW = '2030-01-01T00:00:00.000Z';

const list = async (api: Agent, user = ADA) => (await api.get(`${PATH}?user_id=${user}`).expect(200)).body;

describe('WebAuthnService_ListCredentials', () => {
  it('lists the passkeys of a user with the options for the browser', async () => {
    const { api } = await boot();

    const body = await list(api);

    expect(body.credentials.map(({ id }: { id: string }) => id)).toEqual([LAPTOP_KEY, KEY]);
    expect(body.credentials[1]).toEqual({
      id: KEY,
      user_id: ADA,
      credential_id: 'YWRhLXNlY3VyaXR5LWtleQ==',
      attestation_type: 'direct',
      authenticator: {
        aaguid: 'cb69481e-8ff7-4039-93ec-0a2729a154a8',
        name: 'YubiKey 5 Series',
        attachment: 'cross-platform',
        icon_dark: '',
        icon_light: '',
      },
      transports: ['usb'],
      created_at: '2026-01-18T09:00:00.000Z',
      updated_at: '2026-01-18T09:00:00.000Z',
    });
    expect(body.all_accepted_credentials_options).toEqual({
      rp_id: '127.0.0.1',
      user_id: Buffer.from(ADA).toString('base64url'),
      all_accepted_credential_ids: ['YWRhLXdvcmstbGFwdG9wLT8-', 'YWRhLXNlY3VyaXR5LWtleQ'],
    });
  });

  it('lists a passkey that was stored through the control API', async () => {
    const { api, control } = await boot({ now: NOW });
    const flags = { user_present: true };
    const row = {
      user_id: RAVI,
      credential_id: 'cmF2aQ==',
      attestation_type: 'none',
      authenticator: { aaguid: '00000000-0000-0000-0000-000000000000', name: '', attachment: 'platform' },
      transports: [],
      authenticator_flags: flags,
      user_agent: { os: 'Windows' },
      client_info: { city: 'Oslo' },
      created_at: 'now',
      updated_at: 'now',
    };
    await control.put('/state/passkeys/cred_1').send(row).expect(200);

    const { credentials } = await list(api, RAVI);

    expect(credentials).toEqual([
      {
        ...row,
        id: 'cred_1',
        authenticator: { ...row.authenticator, icon_dark: '', icon_light: '' },
        authenticator_flags: { ...flags, user_verified: false, backup_eligible: false, backup_state: false },
        user_agent: {
          raw: '',
          url: '',
          browser: '',
          browser_version: '',
          os: 'Windows',
          os_version: '',
          device_type: '',
          device_model: '',
        },
        client_info: { ip: '', region: '', region_subdivision: '', city: 'Oslo' },
        created_at: NOW,
        updated_at: NOW,
      },
    ]);
  });

  it('answers an empty list for a user without passkeys', async () => {
    const { api } = await boot();

    expect(await list(api, RAVI)).toMatchObject({
      credentials: [],
      all_accepted_credentials_options: { all_accepted_credential_ids: [] },
    });
  });

  it.each(['', '?user_id='])('requires user_id (%s)', async (query) => {
    const { api } = await boot();

    const answer = await api.get(`${PATH}${query}`).expect(400);

    expect(answer.body).toEqual(invalid('user_id is required: the caller is not a user'));
  });

  it('answers 404 for a deleted user and deletes the passkeys with the user', async () => {
    const { api, control } = await boot();
    await control.delete(`/state/users/${ADA}`).expect(204);

    const answer = await api.get(`${PATH}?user_id=${ADA}`).expect(404);

    expect(answer.body).toEqual(notFound(`user ${ADA} not found`));
    const { body } = await control.get('/state/passkeys').expect(200);
    expect(body.rows).toEqual([]);
  });
});

describe('WebAuthnService_UpdateCredential', () => {
  it.each([
    [LAPTOP_KEY, 'Couch laptop'],
    [KEY, 'x'],
    [KEY, 'y'.repeat(120)],
  ])('renames %s', async (id, display_name) => {
    const { api } = await boot({ now: NOW });
    const before = (await list(api)).credentials.find((each: { id: string }) => each.id === id);

    const answer = await api.patch(`${PATH}/${id}`).send({ display_name }).expect(200);

    expect(answer.body).toEqual({ credential: { ...before, display_name, updated_at: NOW } });
    expect((await list(api)).credentials).toContainEqual(answer.body.credential);
  });

  it.each([
    ['no name', {}, tooShort(1)('display_name')],
    ['an empty name', { display_name: '' }, tooShort(1)('display_name')],
    ['a name that is too long', { display_name: 'x'.repeat(121) }, tooLong(120)('display_name')],
  ])('refuses %s', async (_, body, violation) => {
    const { api } = await boot();

    const answer = await api.patch(`${PATH}/${LAPTOP_KEY}`).send(body).expect(400);

    expect(answer.body).toEqual(refusal(violation));
  });

  it('answers 404 for an unknown passkey', async () => {
    const { api } = await boot();

    const answer = await api.patch(`${PATH}/cred_9`).send({ display_name: 'x' }).expect(404);

    expect(answer.body).toEqual(notFound('passkey cred_9 not found'));
  });
});

describe('WebAuthnService_DeleteCredential', () => {
  it('deletes the passkey and returns the options that make a browser forget it', async () => {
    const { api } = await boot();

    const answer = await api.delete(`${PATH}/${LAPTOP_KEY}`).expect(200);

    expect(answer.body).toEqual({
      success: true,
      unknown_credential_options: { rp_id: '127.0.0.1', credential_id: 'YWRhLXdvcmstbGFwdG9wLT8-' },
    });
    expect((await list(api)).credentials).toMatchObject([{ id: KEY }]);
  });

  it('answers 404 for a deleted passkey', async () => {
    const { api } = await boot();
    await api.delete(`${PATH}/${KEY}`).expect(200);

    const answer = await api.delete(`${PATH}/${KEY}`).expect(404);

    expect(answer.body).toEqual(notFound(`passkey ${KEY} not found`));
  });
});
