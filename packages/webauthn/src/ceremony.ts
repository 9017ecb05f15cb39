import { refused } from './refusal.ts';
import { checkAttestation } from './attestation.ts';
import {
  readAuthenticatorData,
  sha256,
  type AttestedCredential,
  type AuthenticatorData,
  type PasskeyFlags,
} from './authenticator-data.ts';
import { readCborMap } from './cbor.ts';
import { checkClientData, readClientData } from './client-data.ts';
import { isSignedBy, keyOf } from './cose.ts';

/** What the options of the ceremony asked for. */
export interface ExpectedCeremony {
  /** In base64url. */
  challenge: string;
  rpId: string;
  origins: readonly string[];
  userVerification: 'required' | 'preferred' | 'discouraged';
}

export interface RegistrationResponse {
  credentialId: Buffer;
  attestationObject: Buffer;
  clientData: Buffer;
}

export interface NewPasskey extends Pick<AttestedCredential, 'aaguid' | 'id' | 'publicKey'> {
  flags: PasskeyFlags;
  signCount: number;
  format: string;
}

/** Checks what an authenticator answers to creation options (WebAuthn 7.1). Throws `Refusal`. */
export function checkRegistration(
  { credentialId, attestationObject, clientData }: RegistrationResponse,
  expected: ExpectedCeremony,
  now: number,
): NewPasskey {
  checkClientData(readClientData(clientData), { ...expected, type: 'webauthn.create' });
  const object = readCborMap(attestationObject, 'attestation_object');
  const [format, statement, authData] = ['fmt', 'attStmt', 'authData'].map((name) => object.get(name));
  if (typeof format !== 'string' || !(statement instanceof Map) || !Buffer.isBuffer(authData))
    throw refused('attestation_object needs fmt, attStmt and authData');
  const data = readAuthenticatorData(authData);
  checkAuthenticator(data, expected);
  const { credential, flags, signCount } = data;
  if (!credential) throw refused('attestation_object has no passkey in its authenticator data');
  if (!credential.id.equals(credentialId)) throw refused('credential_id is not the id in attestation_object');
  const signed = Buffer.concat([authData, sha256(clientData)]);
  checkAttestation({ format, statement, signed, credential, key: keyOf(credential.key), now });
  const { aaguid, id, publicKey } = credential;
  return { aaguid, id, publicKey, flags, signCount, format };
}

export interface AssertionResponse {
  authenticatorData: Buffer;
  clientData: Buffer;
  signature: Buffer;
}

/** A registered passkey. */
interface KnownPasskey {
  /** The COSE key. */
  publicKey: Buffer;
  signCount: number;
}

/** Checks what an authenticator answers to request options (WebAuthn 7.2). Throws `Refusal`. */
export function checkAssertion(
  { authenticatorData, clientData, signature }: AssertionResponse,
  expected: ExpectedCeremony,
  { publicKey, signCount }: KnownPasskey,
): Pick<AuthenticatorData, 'flags' | 'signCount'> {
  checkClientData(readClientData(clientData), { ...expected, type: 'webauthn.get' });
  const data = readAuthenticatorData(authenticatorData);
  checkAuthenticator(data, expected);
  const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
  if (!isSignedBy(keyOf(readCborMap(publicKey, 'the public key of the passkey')), signed, signature))
    throw refused('signature is not that of the passkey');
  // Synchronized passkeys do not count: they send 0 each time.
  if ((data.signCount > 0 || signCount > 0) && data.signCount <= signCount)
    throw refused(
      `the signature counter is ${data.signCount}, but the passkey has reached ${signCount}: it may have been copied`,
    );
  return { flags: data.flags, signCount: data.signCount };
}

function checkAuthenticator({ rpIdHash, flags }: AuthenticatorData, expected: ExpectedCeremony): void {
  if (!rpIdHash.equals(sha256(expected.rpId)))
    throw refused(`the authenticator answered for another RP id than ${expected.rpId}`);
  if (!flags.user_present) throw refused('the user was not present (flag UP)');
  if (expected.userVerification === 'required' && !flags.user_verified)
    throw refused('the user was not verified (flag UV), and the settings require it');
}
