import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assert, type SoftwarePasskey } from '@understudy/webauthn/authenticator';
import type { AssertionResponse } from '@understudy/webauthn/ceremony';
import { boot, type Booted } from '../../support/boot.ts';
import { AUTHORIZE } from '../../support/sso.ts';
import {
  assertionBody,
  beginAuthentication,
  judgeAcceptsAssertion,
  keyFor,
  PASSKEYS,
  registered,
  relyingParty,
  signedIn,
} from '../../support/passkeys.ts';
import { failure, invalid, notFound } from '../../support/violations.ts';
import { ADA, RAVI } from '../../support/fixture-ids.ts';
import { otherTexts } from '../../support/other-texts.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const BEGIN = `${PASSKEYS}/authentication:begin`;
const FINISH = `${PASSKEYS}/authentication:finish`;

describe('WebAuthnService_BeginAuthentication', () => {
  it('returns the options of a browser without a token', async () => {
    const { anonymous, ...rest } = await boot();

    const { body } = await anonymous.post(BEGIN).send({}).expect(200);

    const { rpId } = await relyingParty({ anonymous, ...rest });
    expect(body).toEqual({
      session_id: expect.stringMatching(/^sess_\d+$/),
      options: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        timeout: 300_000,
        rpId,
        allowCredentials: [],
        userVerification: 'preferred',
      },
    });
  });

  it('names the passkeys of the user with an address', async () => {
    const { anonymous } = await boot();

    const { body } = await anonymous.post(BEGIN).send({ email: 'Ada@acme.example' }).expect(200);

    expect(body.options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([
      'YWRhLXdvcmstbGFwdG9wLT8-',
      'YWRhLXNlY3VyaXR5LWtleQ',
    ]);
  });

  it.each([
    ['an unknown address', 'nobody@acme.example', 404, notFound('user nobody@acme.example not found')],
    [
      'a user without passkeys',
      'ravi@acme.example',
      400,
      failure(9, 'FAILED_PRECONDITION', `user ${RAVI} has no passkey`),
    ],
  ])('refuses %s', async (_, email, status, refusal) => {
    const { anonymous } = await boot();

    const { body } = await anonymous.post(BEGIN).send({ email }).expect(status);

    expect(body).toEqual(refusal);
  });

  it('carries the environment in its session_id', async () => {
    const booted = await boot();
    await booted.environment('acme');

    const begun = await booted.anonymous
      .post(BEGIN)
      .set({ 'understudy-environment': 'acme' })
      .send({})
      .expect(200);

    const { session_id } = begun.body;
    expect(session_id).toMatch(/^acme\.sess_\d+$/);
    const body = assertionBody(session_id, Buffer.from('unknown'), NOTHING);
    const { body: refused } = await booted.anonymous.post(FINISH).send(body).expect(404);
    // The environment `default` would not know the sign-in.
    expect(refused).toEqual(notFound('passkey dW5rbm93bg not found'));
  });
});

const NOTHING = ['authenticatorData', 'clientData', 'signature'].reduce(
  (response, name) => ({ ...response, [name]: Buffer.from('x') }),
  {} as AssertionResponse,
);

describe('WebAuthnService_FinishAuthentication', () => {
  it('starts a session, with which the browser gets a code', async () => {
    const booted = await boot({ now: NOW });
    const { passkey, origin } = await registered(booted);

    const { body } = await signedIn(booted, { ...passkey, signCount: 1 }, origin);

    expect(body).toEqual({ success: true, user_id: ADA, session_token: expect.any(String) });
    const user = await booted.control.get(`/state/users/${ADA}`).expect(200);
    expect(user.body.last_login_time).toBe(NOW);
    const { headers } = await booted.anonymous
      .get(AUTHORIZE)
      .set({ cookie: `understudy_session=${body.session_token}` })
      .expect(302);
    expect(headers['location']).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
  });

  it('notes counter, flags and time of the passkey', async () => {
    const booted = await boot({ now: NOW });
    const { passkey, origin } = await registered(booted);
    await booted.control.post('/clock/advance').send({ by: '1h' }).expect(200);

    await signedIn(booted, { ...passkey, signCount: 5, userVerified: false }, origin);

    const { body } = await booted.control.get('/state/passkeys').expect(200);
    expect(body.rows[2]).toMatchObject({
      sign_count: 5,
      authenticator_flags: { user_verified: false },
      updated_at: '2030-01-01T01:00:00.000Z',
    });
  });

  it.each([
    ['went back', 9, 4],
    ['stands still', 9, 9],
    ['is gone', 9, 0],
  ])('refuses a counter that %s', async (_, before, after) => {
    const booted = await boot();
    const { passkey, origin } = await registered(booted, { signCount: before });

    const { status, body } = await signedIn(booted, { ...passkey, signCount: after }, origin);

    expect(status).toBe(400);
    expect(body).toEqual(
      invalid(
        `the signature counter is ${after}, but the passkey has reached ${before}: it may have been copied`,
      ),
    );
  });

  it('takes a passkey that never counts', async () => {
    const booted = await boot();
    const { passkey, origin } = await registered(booted);

    const answers = [await signedIn(booted, passkey, origin), await signedIn(booted, passkey, origin)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('takes a challenge once, and until it expires', async () => {
    const booted = await boot({ now: NOW });
    const { passkey, origin } = await registered(booted);
    const finish = ({ session_id, challenge }: { session_id: string; challenge: string }) =>
      booted.anonymous
        .post(FINISH)
        .send(assertionBody(session_id, passkey.credentialId, assert(passkey, { challenge, origin })));
    const [first, second] = [await beginAuthentication(booted), await beginAuthentication(booted)];
    await finish(first).expect(200);

    const again = await finish(first).expect(400);
    await booted.control.post('/clock/advance').send({ by: '5m' }).expect(200);
    const late = await finish(second).expect(400);

    expect(again.body.message).toBe('the challenge was used already: start again');
    expect(late.body.message).toBe('the challenge has expired at 2030-01-01T00:05:00.000Z: start again');
  });

  it('refuses a passkey alone if the user has an authenticator app, unless it has verified the user', async () => {
    const booted = await boot();
    const { passkey, origin } = await registered(booted);
    await booted.control.post('/totp').send({ user: ADA }).expect(200);
    const { body: before } = await booted.control.get('/state/sessions').expect(200);

    const { status, body } = await signedIn(booted, { ...passkey, userVerified: false }, origin);

    expect([status, body]).toEqual([
      400,
      failure(
        9,
        'FAILED_PRECONDITION',
        expect.stringMatching(
          /^user \S+ has the authenticator app totp_\d+, and the passkey has not verified/,
        ),
      ),
    ]);
    const { body: after } = await booted.control.get('/state/sessions').expect(200);
    expect(after.rows.length).toBe(before.rows.length);
    expect((await signedIn(booted, passkey, origin)).status).toBe(200);
  });

  it('refuses a passkey that is removed', async () => {
    const booted = await boot();
    const { user, passkey, origin } = await registered(booted);
    const { body: listed } = await user.get(`${PASSKEYS}/credentials`).expect(200);
    await user.delete(`${PASSKEYS}/credentials/${listed.credentials[2].id}`).expect(200);

    const { status, body } = await signedIn(booted, passkey, origin);

    expect([status, body]).toEqual([
      404,
      notFound(`passkey ${passkey.credentialId.toString('base64url')} not found`),
    ]);
  });

  it.each([
    [
      'a session_id that is unknown',
      { session_id: 'sess_10000000000000999' },
      404,
      'sign-in with a passkey sess_10000000000000999 not found',
    ],
    [
      'a passkey without a key',
      { credential_id: 'YWRhLXNlY3VyaXR5LWtleQ' },
      400,
      'passkey cred_10000000000000502 has no public_key, so nobody can sign in with it',
    ],
  ])('refuses %s', async (_, changes, status, message) => {
    const booted = await boot();
    const { passkey, origin } = await registered(booted);
    const { session_id, challenge } = await beginAuthentication(booted);
    const right = assertionBody(session_id, passkey.credentialId, assert(passkey, { challenge, origin }));

    const { body } = await booted.anonymous
      .post(FINISH)
      .send({ ...right, ...changes })
      .expect(status);

    expect(body.message).toBe(message);
  });

  it.each(['credential_id', 'user_handle', 'authenticator_data', 'client_data_json', 'signature'])(
    'refuses another text of the same bytes: %s',
    async (name) => {
      const booted = await boot();
      const { passkey, origin } = await registered(booted);
      const { session_id, challenge } = await beginAuthentication(booted);
      const right = assertionBody(session_id, passkey.credentialId, assert(passkey, { challenge, origin }));
      const { response } = right;
      const holder: Record<string, unknown> = name in response ? response : right;
      const text = String(holder[name]);

      for (const other of otherTexts(text)) {
        const changed = { ...holder, [name]: other };
        const body = holder === right ? changed : { ...right, response: changed };
        const answer = await booted.anonymous.post(FINISH).send(body).expect(400);
        expect(JSON.stringify(answer.body)).toContain(name);
      }
      await booted.anonymous.post(FINISH).send(right).expect(200);
    },
  );

  it('refuses a passkey that is not allowed for the address', async () => {
    const booted = await boot();
    const { passkey, origin } = await registered(booted);
    const { session_id, challenge } = await beginAuthentication(booted, { email: 'ada@acme.example' });
    await booted.control.patch(`/state/passkey_ceremonies/${session_id}`).send({ user_id: RAVI }).expect(200);

    const response = assert(passkey, { challenge, origin });
    const body = assertionBody(session_id, passkey.credentialId, response);
    const answer = await booted.anonymous.post(FINISH).send(body).expect(400);

    expect(answer.body.message).toMatch(/^passkey cred_\d+ is not one of allowCredentials$/);
  });

  it('refuses the user handle of another user', async () => {
    const booted = await boot();
    const { passkey, origin } = await registered(booted);
    const { session_id, challenge } = await beginAuthentication(booted);

    const response = assert(passkey, { challenge, origin });
    const body = assertionBody(
      session_id,
      passkey.credentialId,
      response,
      Buffer.from(RAVI).toString('base64url'),
    );
    const answer = await booted.anonymous.post(FINISH).send(body).expect(400);

    expect(answer.body).toEqual(invalid('user_handle is not that of the user of the passkey'));
  });

  it('refuses the answer to a registration', async () => {
    const booted = await boot();
    const { user, passkey } = await registered(booted);
    await user.post(`${PASSKEYS}/registration:begin`).send({}).expect(200);
    const { body: state } = await booted.control.get('/state/passkey_ceremonies').expect(200);
    const { id } = state.rows.at(-1);

    const answer = await booted.anonymous
      .post(FINISH)
      .send(assertionBody(id, passkey.credentialId, NOTHING))
      .expect(404);

    expect(answer.body.message).toBe(`sign-in with a passkey ${id} not found`);
  });
});

interface Place {
  origin: string;
  rpId: string;
  challenge: string;
}

type Case = [
  name: string,
  build: (passkey: SoftwarePasskey, place: Place) => AssertionResponse,
  refusal?: RegExp,
];

const withClientData = (response: AssertionResponse, changes: object) => ({
  ...response,
  clientData: Buffer.from(JSON.stringify({ ...JSON.parse(response.clientData.toString()), ...changes })),
});

/** The assertion of these client data, signed. */
const saying = (passkey: SoftwarePasskey, place: Place, changes: object) => {
  const spoken = { ...place, ...changes } as Place;
  return assert(passkey, spoken);
};

const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
};

const CASES: Case[] = [
  ['a right answer', (passkey, place) => assert(passkey, place)],
  ['a user who was not verified', (passkey, place) => assert({ ...passkey, userVerified: false }, place)],
  [
    'a user who was not present',
    (passkey, place) => assert({ ...passkey, userPresent: false }, place),
    /^the user was not present \(flag UP\)$/,
  ],
  [
    'another challenge',
    (passkey, place) => saying(passkey, place, { challenge: 'AAAA' }),
    /^client_data_json has another challenge than the options$/,
  ],
  [
    'another origin',
    (passkey, place) => saying(passkey, place, { origin: 'http://evil.example' }),
    /^client_data_json has the origin http:\/\/evil\.example/,
  ],
  [
    'another RP id',
    (passkey, place) => assert({ ...passkey, rpId: 'evil.example' }, place),
    /^the authenticator answered for another RP id than/,
  ],
  [
    'the signature of another key',
    (passkey, place) => assert({ ...passkey, privateKey: keyFor('other') }, place),
    /^signature is not that of the passkey$/,
  ],
  [
    'a changed signature',
    (passkey, place) => {
      const response = assert(passkey, place);
      return { ...response, signature: flipped(response.signature, 12) };
    },
    /^signature is not that of the passkey$/,
  ],
  [
    'a signature that is no DER',
    (passkey, place) => ({ ...assert(passkey, place), signature: Buffer.alloc(64, 1) }),
    /^signature is not that of the passkey$/,
  ],
  [
    'changed authenticator data',
    (passkey, place) => {
      const response = assert(passkey, place);
      return { ...response, authenticatorData: flipped(response.authenticatorData, 36) };
    },
    /^signature is not that of the passkey$/,
  ],
  [
    'changed client data',
    (passkey, place) => withClientData(assert(passkey, place), { crossOrigin: true }),
    /^signature is not that of the passkey$/,
  ],
  [
    'the type of a registration',
    (passkey, place) => withClientData(assert(passkey, place), { type: 'webauthn.create' }),
    /^client_data_json has the type webauthn\.create: webauthn\.get is wanted$/,
  ],
  [
    'a frame of another site',
    (passkey, place) =>
      withClientData(assert(passkey, place), { crossOrigin: true, topOrigin: 'http://evil.example' }),
    /^the page was in a frame of http:\/\/evil\.example/,
  ],
  [
    'a topOrigin without a frame',
    (passkey, place) => withClientData(assert(passkey, place), { topOrigin: 'http://evil.example' }),
    /^client_data_json has a topOrigin without crossOrigin$/,
  ],
  [
    'authenticator data that is too short',
    (passkey, place) => ({ ...assert(passkey, place), authenticatorData: Buffer.alloc(20) }),
    /^the authenticator data has 20 bytes/,
  ],
];

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const KEYS = { ES256: keyFor('key'), EdDSA: keyFor('key', 'EdDSA'), RS256: rsa };

describe.each(Object.entries(KEYS))('the answer of an authenticator with %s', (_, privateKey) => {
  it.each(CASES)('%s is judged as @simplewebauthn/server does', async (__, build, refusal) => {
    const booted = await boot();
    const { passkey, origin, rpId } = await registered(booted, { privateKey });
    const { session_id, challenge } = await beginAuthentication(booted);
    const place = { origin, rpId, challenge };
    const response = build(passkey, place);

    const answer = await finish(booted, session_id, passkey, response);

    if (refusal === undefined) expect(answer.body.user_id).toBe(ADA);
    else expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(refusal)]);
    const known = { key: privateKey, credentialId: passkey.credentialId, signCount: 0 };
    expect(await judgeAcceptsAssertion(response, place, known)).toBe(refusal === undefined);
  });
});

const finish = (
  { anonymous }: Booted,
  session_id: string,
  { credentialId }: SoftwarePasskey,
  response: AssertionResponse,
) => anonymous.post(FINISH).send(assertionBody(session_id, credentialId, response));
