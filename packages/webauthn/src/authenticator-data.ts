import { createHash } from 'node:crypto';
import { refused } from './refusal.ts';
import { readCbor, type CborMap } from './cbor.ts';

/** What the authenticator says about itself (WebAuthn 6.1). */
export interface AuthenticatorData {
  rpIdHash: Buffer;
  flags: PasskeyFlags;
  signCount: number;
  /** The new passkey; only in registrations. */
  credential: AttestedCredential | undefined;
}

export interface PasskeyFlags {
  user_present: boolean;
  user_verified: boolean;
  backup_eligible: boolean;
  backup_state: boolean;
}

export interface AttestedCredential {
  aaguid: string;
  id: Buffer;
  /** The COSE key as it was sent. */
  publicKey: Buffer;
  key: CborMap;
}

export const FLAG = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 } as const;

const WHAT = 'the authenticator data';
const FIXED_LENGTH = 37;
const MAX_CREDENTIAL_ID = 1023;

export function readAuthenticatorData(data: Buffer): AuthenticatorData {
  if (data.length < FIXED_LENGTH)
    throw refused(`${WHAT} has ${data.length} bytes: at least ${FIXED_LENGTH} are needed`);
  const bits = data[32]!;
  const attested = bits & FLAG.at ? readCredential(data) : undefined;
  const extensionsAt = attested?.end ?? FIXED_LENGTH;
  const end = bits & FLAG.ed ? readExtensions(data, extensionsAt) : extensionsAt;
  if (end !== data.length) throw refused(`${WHAT} has ${data.length - end} bytes after its end`);
  return {
    rpIdHash: data.subarray(0, 32),
    flags: flagsOf(bits),
    signCount: data.readUInt32BE(33),
    credential: attested?.credential,
  };
}

function flagsOf(bits: number): PasskeyFlags {
  const flags = {
    user_present: (bits & FLAG.up) !== 0,
    user_verified: (bits & FLAG.uv) !== 0,
    backup_eligible: (bits & FLAG.be) !== 0,
    backup_state: (bits & FLAG.bs) !== 0,
  };
  if (flags.backup_state && !flags.backup_eligible)
    throw refused(`${WHAT} says that the passkey is backed up, but not that it can be`);
  return flags;
}

/** AAGUID, length of the id, id and key (WebAuthn 6.5.1). */
function readCredential(data: Buffer): { credential: AttestedCredential; end: number } {
  const keyAt = data.length < 55 ? Infinity : 55 + data.readUInt16BE(53);
  if (keyAt >= data.length) throw refused(`${WHAT} ends before the public key of the passkey`);
  const id = data.subarray(55, keyAt);
  if (id.length > MAX_CREDENTIAL_ID)
    throw refused(`${WHAT} has a credential id of ${id.length} bytes: ${MAX_CREDENTIAL_ID} are allowed`);
  const { value: key, end } = readCbor(data, WHAT, keyAt);
  if (!(key instanceof Map)) throw refused(`${WHAT} has a public key that is not a CBOR map`);
  return {
    credential: { aaguid: uuidOf(data.subarray(37, 53)), id, publicKey: data.subarray(keyAt, end), key },
    end,
  };
}

function readExtensions(data: Buffer, at: number): number {
  const { value, end } = readCbor(data, WHAT, at);
  if (!(value instanceof Map)) throw refused(`${WHAT} has extensions that are not a CBOR map`);
  return end;
}

const uuidOf = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
