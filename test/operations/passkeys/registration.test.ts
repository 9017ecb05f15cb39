import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCborMap, writeCbor, type CborMap } from '@understudy/webauthn/cbor';
import type { RegistrationResponse } from '@understudy/webauthn/ceremony';
import { register, type SoftwarePasskey } from '@understudy/webauthn/authenticator';
import {
  makerCertificate,
  packedBy,
  reattested,
  type CertificateOptions,
} from '../../support/attestation.ts';
import { boot, type Booted } from '../../support/boot.ts';
import {
  asAda,
  beginRegistration,
  HANDLE,
  judgeAcceptsRegistration,
  keyFor,
  PASSKEYS,
  registered,
  registrationBody,
  relyingParty,
  softPasskey,
} from '../../support/passkeys.ts';
import { failure, invalid } from '../../support/violations.ts';
import { ADA, RAVI } from '../../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const BEGIN = `${PASSKEYS}/registration:begin`;
const FINISH = `${PASSKEYS}/registration:finish`;
const CHROME =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

/** Settings of passkeys, as the environment's connection of the type WEBAUTHN has them. */
const configure = ({ control }: Booted, webauthn_config: object, more: object = {}) =>
  control
    .put('/state/connections/conn_10000000000000299')
    .send({
      provider: 'CUSTOM',
      type: 'WEBAUTHN',
      status: 'COMPLETED',
      enabled: true,
      provider_key: 'WEBAUTHN',
      key_id: 'WEBAUTHN',
      webauthn_config,
      ...more,
    })
    .expect(200);

const RELYING_PARTY = {
  ids: ['app.example.com'],
  origins: ['https://app.example.com', 'https://example.com'],
};

describe('WebAuthnService_GetRelatedOrigins', () => {
  it('lists the origin of the hosted pages without a token', async () => {
    const { anonymous } = await boot();

    const { body } = await anonymous.get('/.well-known/webauthn').set({ host: 'acme.test:8080' }).expect(200);

    expect(body).toEqual({ origins: ['http://acme.test:8080'] });
  });

  it('lists the origins of the settings', async () => {
    const booted = await boot();
    await configure(booted, { rp: RELYING_PARTY });

    const { body } = await booted.anonymous.get('/.well-known/webauthn').expect(200);

    expect(body).toEqual({ origins: RELYING_PARTY.origins });
  });
});

describe('WebAuthnService_BeginRegistration', () => {
  it('returns the options of a browser', async () => {
    const booted = await boot({ now: NOW });
    const user = await asAda(booted);

    const { body } = await user.post(BEGIN).send({}).expect(200);

    const { rpId } = await relyingParty(booted);
    expect(body.options).toEqual({
      rp: { id: rpId, name: rpId },
      user: { id: HANDLE, name: 'ada@acme.example', displayName: 'Ada Byrne' },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [
        { type: 'public-key', id: 'YWRhLXdvcmstbGFwdG9wLT8-', transports: ['internal', 'hybrid'] },
        { type: 'public-key', id: 'YWRhLXNlY3VyaXR5LWtleQ', transports: ['usb'] },
      ],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'preferred',
      },
      attestation: 'none',
    });
  });

  it('follows the settings of the environment', async () => {
    const booted = await boot();
    await configure(booted, {
      rp: RELYING_PARTY,
      attestation: { conveyance_preference: 'direct' },
      authenticator_selection: { user_verification: 'discouraged', authenticator_attachment: 'platform' },
      timeout: { registration: '120s', registration_uvd: '600s' },
    });

    const { body } = await (await asAda(booted)).post(BEGIN).send({}).expect(200);

    expect(body.options).toMatchObject({
      rp: { id: 'app.example.com' },
      timeout: 600_000,
      attestation: 'direct',
      authenticatorSelection: { authenticatorAttachment: 'platform', userVerification: 'discouraged' },
    });
  });

  it('refuses a client, which is no user', async () => {
    const { api } = await boot();

    const { body } = await api.post(BEGIN).send({}).expect(400);

    expect(body).toEqual(invalid('the caller is not a user: only users register passkeys, for themselves'));
  });

  it('is refused while passkeys are switched off', async () => {
    const booted = await boot();
    await configure(booted, { rp: RELYING_PARTY }, { enabled: false });

    const { body } = await (await asAda(booted)).post(BEGIN).send({}).expect(400);

    expect(body.message).toBe('passkeys are switched off: enable the connection conn_10000000000000299');
  });
});

describe('WebAuthnService_FinishRegistration', () => {
  it('stores the passkey, which lists show', async () => {
    const booted = await boot({ now: NOW });
    const user = await asAda(booted);
    const { origin, rpId } = await relyingParty(booted);
    const response = register(softPasskey(rpId), { challenge: await beginRegistration(user), origin });

    const { body } = await user
      .post(FINISH)
      .set({ 'user-agent': CHROME, 'x-forwarded-for': '203.0.113.9' })
      .send(registrationBody(response))
      .expect(200);

    expect(body).toEqual({ success: true });
    const listed = await user.get(`${PASSKEYS}/credentials`).expect(200);
    expect(listed.body.credentials[2]).toEqual({
      id: expect.stringMatching(/^cred_\d+$/),
      user_id: ADA,
      credential_id: response.credentialId.toString('base64'),
      attestation_type: 'none',
      authenticator: {
        aaguid: '00000000-0000-0000-0000-000000000000',
        name: '',
        attachment: 'platform',
        icon_dark: '',
        icon_light: '',
      },
      transports: ['internal'],
      authenticator_flags: {
        user_present: true,
        user_verified: true,
        backup_eligible: false,
        backup_state: false,
      },
      created_at: NOW,
      updated_at: NOW,
      user_agent: {
        raw: CHROME,
        url: '',
        browser: 'Chrome',
        browser_version: '131.0.0.0',
        os: 'macOS',
        os_version: '10.15.7',
        device_type: 'desktop',
        device_model: '',
      },
      client_info: { ip: '203.0.113.9', region: '', region_subdivision: '', city: '' },
    });
  });

  it('takes a challenge once', async () => {
    const booted = await boot();
    const user = await asAda(booted);
    const { origin, rpId } = await relyingParty(booted);
    const challenge = await beginRegistration(user);
    const answer = (id: string) => {
      const passkey = softPasskey(rpId, { credentialId: Buffer.from(id) });
      return user.post(FINISH).send(registrationBody(register(passkey, { challenge, origin })));
    };
    await answer('first').expect(200);

    const { body } = await answer('second').expect(400);

    expect(body).toEqual(failure(9, 'FAILED_PRECONDITION', 'the challenge was used already: start again'));
  });

  it('takes a challenge only until it expires by the clock of the environment', async () => {
    const booted = await boot({ now: NOW });
    const user = await asAda(booted);
    const { origin, rpId } = await relyingParty(booted);
    const challenge = await beginRegistration(user);
    await booted.control.post('/clock/advance').send({ by: '5m' }).expect(200);

    const response = register(softPasskey(rpId), { challenge, origin });
    const later = await asAda(booted); // the first token has expired, too
    const { body } = await later.post(FINISH).send(registrationBody(response)).expect(400);

    expect(body).toEqual(invalid('the challenge has expired at 2030-01-01T00:05:00.000Z: start again'));
  });

  it('refuses the challenge of another user', async () => {
    const booted = await boot();
    const user = await asAda(booted);
    const { origin, rpId } = await relyingParty(booted);
    const challenge = await beginRegistration(user);
    const { body: state } = await booted.control.get('/state/passkey_ceremonies').expect(200);
    const { id } = state.rows[0];
    await booted.control.patch(`/state/passkey_ceremonies/${id}`).send({ user_id: RAVI }).expect(200);

    const response = register(softPasskey(rpId), { challenge, origin });
    const { body } = await user.post(FINISH).send(registrationBody(response)).expect(400);

    expect(body.message).toBe('no registration of this user has the challenge in client_data_json');
  });

  it('refuses a passkey that is registered already', async () => {
    const booted = await boot();
    const { user, passkey, origin } = await registered(booted);

    const response = register(passkey, { challenge: await beginRegistration(user), origin });
    const { body } = await user.post(FINISH).send(registrationBody(response)).expect(409);

    const id = passkey.credentialId.toString('base64url');
    expect(body).toEqual(failure(6, 'ALREADY_EXISTS', `passkey ${id} is registered already`));
  });

  it('requires user verification where the settings do', async () => {
    const booted = await boot();
    const { origin, rpId } = await relyingParty(booted);
    const rp = { ids: [rpId], origins: [origin] };
    await configure(booted, { rp, authenticator_selection: { user_verification: 'required' } });
    const user = await asAda(booted);
    const challenge = await beginRegistration(user);
    const answer = (userVerified: boolean) =>
      user
        .post(FINISH)
        .send(registrationBody(register(softPasskey(rpId, { userVerified }), { challenge, origin })));

    const refused = await answer(false).expect(400);
    await answer(true).expect(200);

    expect(refused.body).toEqual(invalid('the user was not verified (flag UV), and the settings require it'));
  });
});

interface Place {
  origin: string;
  rpId: string;
  challenge: string;
}

type Case = [
  name: string,
  build: (place: Place) => Promise<RegistrationResponse> | RegistrationResponse,
  refusal?: string | RegExp,
];

const plain = (place: Place, more: Partial<SoftwarePasskey> = {}, format: 'none' | 'packed' = 'none') =>
  register(softPasskey(place.rpId, more), place, format);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** The registration with this byte of its authenticator data changed. */
const withByte = (response: RegistrationResponse, at: number, change: (byte: number) => number) =>
  reattested(response, (object) => {
    const data = Buffer.from(object.get('authData') as Buffer);
    data[at] = change(data[at]!);
    object.set('authData', data);
  });

/** The registration with its COSE key changed. */
const withKey = (response: RegistrationResponse, change: (key: CborMap) => unknown) =>
  reattested(response, (object) => {
    const data = object.get('authData') as Buffer;
    const at = 55 + response.credentialId.length;
    const key = readCborMap(data.subarray(at), 'it');
    change(key);
    object.set('authData', Buffer.concat([data.subarray(0, at), writeCbor(key)]));
  });

const withClientData = (response: RegistrationResponse, changes: object) => ({
  ...response,
  clientData: Buffer.from(JSON.stringify({ ...JSON.parse(response.clientData.toString()), ...changes })),
});

const certified = async (place: Place, options: CertificateOptions = {}) => {
  const { der, pkcs8 } = await makerCertificate(options);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return packedBy(plain(place), key, [['x5c', [der]]]);
};

const CASES: Case[] = [
  ['ES256 without attestation', plain],
  ['EdDSA without attestation', (place) => plain(place, { privateKey: keyFor('key', 'EdDSA') })],
  ['RS256 without attestation', (place) => plain(place, { privateKey: rsa })],
  ['ES256 that attests itself', (place) => plain(place, {}, 'packed')],
  ['EdDSA that attests itself', (place) => plain(place, { privateKey: keyFor('key', 'EdDSA') }, 'packed')],
  ['RS256 that attests itself', (place) => plain(place, { privateKey: rsa }, 'packed')],
  ['an attestation by a certificate', (place) => certified(place)],
  [
    'a certificate of the same model',
    (place) => certified(place, { model: Buffer.concat([Buffer.from([4, 16]), Buffer.alloc(16)]) }),
  ],
  ['a user who was not verified', (place) => plain(place, { userVerified: false })],
  ['a counter that starts at 7', (place) => plain(place, { signCount: 7 })],
  [
    'another origin',
    (place) => plain({ ...place, origin: 'http://evil.example' }),
    /^client_data_json has the origin http:\/\/evil\.example: allowed are http/,
  ],
  ['no origin', (place) => withClientData(plain(place), { origin: undefined }), /has the origin undefined/],
  [
    'the type of a sign-in',
    (place) => withClientData(plain(place), { type: 'webauthn.get' }),
    'client_data_json has the type webauthn.get: webauthn.create is wanted',
  ],
  [
    'an unknown token binding',
    (place) => withClientData(plain(place), { tokenBinding: { status: 'x' } }),
    'client_data_json has a tokenBinding without a known status',
  ],
  [
    'another RP id',
    (place) => register(softPasskey('evil.example'), place),
    /^the authenticator answered for another RP id than /,
  ],
  [
    'a user who was not present',
    (place) => plain(place, { userPresent: false }),
    'the user was not present (flag UP)',
  ],
  [
    'a backup that cannot be',
    (place) => withByte(plain(place), 32, (byte) => byte | 0x10),
    'the authenticator data says that the passkey is backed up, but not that it can be',
  ],
  [
    'no passkey',
    (place) =>
      reattested(plain(place), (object) => {
        const data = Buffer.from((object.get('authData') as Buffer).subarray(0, 37));
        data[32]! &= ~0x40;
        object.set('authData', data);
      }),
    'attestation_object has no passkey in its authenticator data',
  ],
  [
    'bytes after the authenticator data',
    (place) =>
      reattested(
        plain(place),
        (object) =>
          void object.set('authData', Buffer.concat([object.get('authData') as Buffer, Buffer.from([0])])),
      ),
    'the authenticator data has 1 bytes after its end',
  ],
  [
    'authenticator data that is too short',
    (place) => reattested(plain(place), (object) => void object.set('authData', Buffer.alloc(36))),
    'the authenticator data has 36 bytes: at least 37 are needed',
  ],
  [
    'an unknown format',
    (place) => reattested(plain(place), (object) => void object.set('fmt', 'own')),
    'the attestation has the format own: Understudy checks none and packed',
  ],
  [
    'a statement without a format',
    (place) => reattested(plain(place), (object) => void object.set('attStmt', new Map([['alg', -7]]))),
    'an attestation of the format none must have no statement',
  ],
  [
    'a packed attestation without a signature',
    (place) =>
      reattested(
        plain(place, {}, 'packed'),
        (object) => void (object.get('attStmt') as CborMap).delete('sig'),
      ),
    'the packed attestation has no signature (sig)',
  ],
  [
    'a packed attestation without an algorithm',
    (place) =>
      reattested(
        plain(place, {}, 'packed'),
        (object) => void (object.get('attStmt') as CborMap).delete('alg'),
      ),
    /^the packed attestation has the algorithm none: allowed are -7 \(ES256\)/,
  ],
  [
    'a packed attestation by another key',
    (place) => packedBy(plain(place), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    'the signature of the packed attestation is wrong',
  ],
  [
    'an attestation of other client data',
    (place) => withClientData(plain(place, {}, 'packed'), { crossOrigin: true }),
    'the signature of the packed attestation is wrong',
  ],
  [
    'a certificate of another key',
    async (place) => packedBy(plain(place), keyFor('key'), [['x5c', [(await makerCertificate()).der]]]),
    'the signature of the packed attestation is wrong',
  ],
  [
    'a certificate of another model',
    (place) => certified(place, { model: Buffer.concat([Buffer.from([4, 16]), Buffer.alloc(16, 1)]) }),
    'the certificate of the packed attestation is for another model (AAGUID)',
  ],
  [
    'a certificate of another unit',
    (place) => certified(place, { subject: { OU: 'Sales' } }),
    /needs the unit \(OU\) "Authenticator Attestation"$/,
  ],
  [
    'a certificate without a country',
    (place) => certified(place, { subject: { C: 'Germany' } }),
    /needs a country/,
  ],
  [
    'a certificate of an authority',
    (place) => certified(place, { isAuthority: true }),
    /needs not to be that of an authority/,
  ],
  [
    'an expired certificate',
    (place) => certified(place, { to: '2021-01-01' }),
    /needs a clock that is not after/,
  ],
  [
    'a certificate of tomorrow',
    (place) => certified(place, { from: '2045-01-01' }),
    /needs a clock that is not before/,
  ],
  [
    'an algorithm that is not allowed',
    (place) => withKey(plain(place), (key) => key.set(3, -36)),
    /^the public key of the passkey has the algorithm -36: allowed are/,
  ],
  [
    'a key without an algorithm',
    (place) => withKey(plain(place), (key) => key.delete(3)),
    /^the public key of the passkey has the algorithm none/,
  ],
];

describe('the answer of an authenticator to creation options', () => {
  it.each(CASES)('%s is judged as @simplewebauthn/server does', async (_, build, refusal) => {
    const booted = await boot();
    const user = await asAda(booted);
    const { origin, rpId } = await relyingParty(booted);
    const challenge = await beginRegistration(user);
    const response = await build({ origin, rpId, challenge });

    const answer = await user.post(FINISH).send(registrationBody(response));

    if (refusal === undefined) expect(answer.body).toEqual({ success: true });
    else expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(textOf(refusal))]);
    const accepted = await judgeAcceptsRegistration(response, { origin, rpId, challenge });
    expect(accepted).toBe(refusal === undefined);
  });

  /** The judge looks at the key only at the first sign-in, so that these passkeys would be of no use. */
  it.each<Case>([
    [
      'a point that is not on the curve',
      (place) => withKey(plain(place), (key) => key.set(-3, Buffer.alloc(32, 1))),
      'the public key of the passkey is not a valid key',
    ],
    [
      'another curve',
      (place) => withKey(plain(place), (key) => key.set(-1, 2)),
      'the public key of the passkey has the algorithm ES256, which needs the curve P-256',
    ],
    [
      'a coordinate that is too short',
      (place) => withKey(plain(place), (key) => key.set(-2, Buffer.alloc(31))),
      'the public key of the passkey needs 32 bytes at label -2',
    ],
    [
      'a huge modulus',
      (place) => withKey(plain(place, { privateKey: rsa }), (key) => key.set(-1, Buffer.alloc(4096, 255))),
      'the public key of the passkey needs 128 to 1024 bytes at label -1',
    ],
    [
      'another algorithm than the key',
      (place) =>
        reattested(
          plain(place, {}, 'packed'),
          (object) => void (object.get('attStmt') as CborMap).set('alg', -257),
        ),
      'the packed attestation has another algorithm than the public key of the passkey',
    ],
    [
      'authenticator data that ends in the key',
      (place) =>
        reattested(
          plain(place),
          (object) => void object.set('authData', (object.get('authData') as Buffer).subarray(0, -1)),
        ),
      /^the authenticator data ends too early/,
    ],
    [
      'another credential id',
      (place) => ({ ...plain(place), credentialId: Buffer.from('other') }),
      'credential_id is not the id in attestation_object',
    ],
    [
      'client data that is no JSON',
      (place) => ({ ...plain(place), clientData: Buffer.from('[') }),
      'client_data_json is not a JSON object',
    ],
    [
      'an attestation object that is a list',
      (place) => ({ ...plain(place), attestationObject: writeCbor([1]) }),
      'attestation_object is not a CBOR map',
    ],
    [
      'an attestation object without authData',
      (place) => reattested(plain(place), (object) => void object.delete('authData')),
      'attestation_object needs fmt, attStmt and authData',
    ],
    [
      'bytes after the attestation object',
      (place) => ({
        ...plain(place),
        attestationObject: Buffer.concat([plain(place).attestationObject, Buffer.from([0])]),
      }),
      'attestation_object has 1 bytes after its end',
    ],
  ])('refuses %s', async (_, build, refusal) => {
    const booted = await boot();
    const user = await asAda(booted);
    const place = { ...(await relyingParty(booted)), challenge: await beginRegistration(user) };

    const answer = await user.post(FINISH).send(registrationBody(await build(place)));

    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(textOf(refusal!))]);
    const { body } = await booted.control.get('/state/passkeys').expect(200);
    expect(body.rows).toHaveLength(2);
  });
});

const textOf = (wanted: string | RegExp) =>
  wanted instanceof RegExp ? wanted : new RegExp(`^${wanted.replaceAll(/[()[\]{}.*+?^$|\\]/g, '\\$&')}$`);
