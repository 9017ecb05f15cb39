import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import {
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import {
  assert,
  coseKeyOf,
  privateKeyOf,
  register,
  type BrowserContext,
  type SoftwareAlgorithm,
  type SoftwarePasskey,
} from '@understudy/webauthn/authenticator';
import type { AssertionResponse, RegistrationResponse } from '@understudy/webauthn/ceremony';
import { tokensOf } from '../operations/oauth-support.ts';
import { agentWith, type Agent, type Booted } from './boot.ts';
import { ADA } from './fixture-ids.ts';

export const HANDLE = Buffer.from(ADA).toString('base64url');
export const PASSKEYS = '/api/v1/webauthn';

const digest = (text: string) => createHash('sha256').update(text).digest();

export const keyFor = (name: string, algorithm: SoftwareAlgorithm = 'ES256') =>
  privateKeyOf(algorithm, digest(name));

/** A passkey in a software authenticator. */
export const softPasskey = (rpId: string, more: Partial<SoftwarePasskey> = {}): SoftwarePasskey => ({
  credentialId: digest('id'),
  privateKey: keyFor('key'),
  rpId,
  signCount: 0,
  userPresent: true,
  userVerified: true,
  ...more,
});

const base64 = (bytes: Buffer) => bytes.toString('base64');
const base64url = (bytes: Buffer) => bytes.toString('base64url');

export const registrationBody = ({ credentialId, attestationObject, clientData }: RegistrationResponse) => ({
  credential_id: base64(credentialId),
  attestation_object: base64(attestationObject),
  client_data_json: base64(clientData),
  type: 'public-key',
  transports: ['internal'],
  authenticator_attachment: 'platform',
});

export const assertionBody = (
  session_id: string,
  credentialId: Buffer,
  { authenticatorData, clientData, signature }: AssertionResponse,
  user_handle = HANDLE,
) => ({
  session_id,
  credential_id: base64(credentialId),
  type: 'public-key',
  response: {
    authenticator_data: base64(authenticatorData),
    client_data_json: base64(clientData),
    signature: base64(signature),
    user_handle,
  },
});

/** Sends calls with a token of Ada. */
export const asAda = async (booted: Booted): Promise<Agent> =>
  agentWith(booted.anonymous, (await tokensOf(booted)).access_token);

/** The origin of the service, and the host that its passkeys belong to. */
export async function relyingParty({ anonymous }: Booted) {
  const { body } = await anonymous.get('/.well-known/webauthn').expect(200);
  const [origin] = body.origins as [string];
  return { origin, rpId: new URL(origin).hostname };
}

/** Begins a registration of Ada. */
export async function beginRegistration(user: Agent): Promise<string> {
  const { body } = await user.post(`${PASSKEYS}/registration:begin`).send({}).expect(200);
  return body.options.challenge as string;
}

export async function beginAuthentication({ anonymous }: Booted, body: object = {}) {
  const begun = await anonymous.post(`${PASSKEYS}/authentication:begin`).send(body).expect(200);
  return { session_id: begun.body.session_id as string, challenge: begun.body.options.challenge as string };
}

/** Registers a passkey of Ada. */
export async function registered(booted: Booted, more: Partial<SoftwarePasskey> = {}) {
  const user = await asAda(booted);
  const { origin, rpId } = await relyingParty(booted);
  const passkey = softPasskey(rpId, more);
  const challenge = await beginRegistration(user);
  const body = registrationBody(register(passkey, { challenge, origin }));
  await user.post(`${PASSKEYS}/registration:finish`).send(body).expect(200);
  return { user, passkey, origin, rpId };
}

/** Signs in with a passkey of Ada; returns the answer. */
export async function signedIn(booted: Booted, passkey: SoftwarePasskey, origin: string) {
  const { session_id, challenge } = await beginAuthentication(booted);
  const response = assert(passkey, { challenge, origin });
  return booted.anonymous
    .post(`${PASSKEYS}/authentication:finish`)
    .send(assertionBody(session_id, passkey.credentialId, response));
}

interface Expected extends BrowserContext {
  rpId: string;
  requireUserVerification?: boolean;
}

const judged = ({ challenge, origin, rpId, requireUserVerification = false }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
  requireUserVerification,
});

/** Whether `@simplewebauthn/server` accepts the registration. */
export async function judgeAcceptsRegistration(
  { credentialId, attestationObject, clientData }: RegistrationResponse,
  expected: Expected,
): Promise<boolean> {
  const id = base64url(credentialId);
  const response: RegistrationResponseJSON = {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: { attestationObject: base64url(attestationObject), clientDataJSON: base64url(clientData) },
  };
  return verifyRegistrationResponse({
    ...judged(expected),
    response,
    supportedAlgorithmIDs: [-7, -8, -257],
  }).then(
    ({ verified }) => verified,
    () => false,
  );
}

/** Whether `@simplewebauthn/server` accepts the sign-in. */
export async function judgeAcceptsAssertion(
  { authenticatorData, clientData, signature }: AssertionResponse,
  expected: Expected,
  known: { key: KeyObject; credentialId: Buffer; signCount: number },
): Promise<boolean> {
  const id = base64url(known.credentialId);
  const response: AuthenticationResponseJSON = {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      authenticatorData: base64url(authenticatorData),
      clientDataJSON: base64url(clientData),
      signature: base64url(signature),
      userHandle: HANDLE,
    },
  };
  const publicKey = Uint8Array.from(coseKeyOf(known.key));
  return verifyAuthenticationResponse({
    ...judged(expected),
    response,
    credential: { id, publicKey, counter: known.signCount },
  }).then(
    ({ verified }) => verified,
    () => false,
  );
}

export const spkiOf = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' });
