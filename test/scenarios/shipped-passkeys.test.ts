import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { beginAuthentication, PASSKEYS } from '../support/passkeys.ts';

const LAPTOP = { id: 'cred_10000000000000501', credential_id: 'YWRhLXdvcmstbGFwdG9wLT8-' };

async function signIn({ anonymous, control, ...rest }: Booted) {
  const { challenge } = await beginAuthentication({ anonymous, control, ...rest });
  const wanted = { challenge, credential_id: LAPTOP.credential_id };
  const { body } = await control.post('/passkeys/sign').send(wanted).expect(200);
  const answer = await anonymous.post(`${PASSKEYS}/authentication:finish`).send(body.body);
  return [answer.status, answer.body.message ?? 'signed in'];
}

const REMOVED = [404, `passkey ${LAPTOP.credential_id} not found`];
const COPIED = [
  400,
  'the signature counter is 2, but the passkey has reached 4294967295: it may have been copied',
];

describe.each([
  ['passkey-removed', REMOVED],
  ['passkey-copied', COPIED],
])('%s', (name, refusal) => {
  it.each([
    ['the passkey that signs in', {}],
    ['the passkey that is given', { passkey_id: LAPTOP.id }],
  ])('refuses %s', async (_, params) => {
    const booted = await boot();
    expect(await signIn(booted)).toEqual([200, 'signed in']);
    await booted.control.post('/scenarios').send({ name, params }).expect(201);

    expect(await signIn(booted)).toEqual(refusal);
  });

  it('leaves other passkeys alone', async () => {
    const booted = await boot();
    const params = { passkey_id: 'cred_10000000000000502' };
    await booted.control.post('/scenarios').send({ name, params }).expect(201);

    expect(await signIn(booted)).toEqual([200, 'signed in']);
  });
});
