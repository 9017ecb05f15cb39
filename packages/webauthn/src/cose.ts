import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { refused } from './refusal.ts';
import type { CborMap } from './cbor.ts';

/** The algorithms of passkeys (IANA, COSE algorithms), the preferred ones first. */
export const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

export type Algorithm = (typeof ALGORITHMS)[keyof typeof ALGORITHMS];

export interface PasskeyKey {
  algorithm: Algorithm;
  key: KeyObject;
}

/** Labels of COSE keys (RFC 9053 7, RFC 8230 4). */
const [KEY_TYPE, ALGORITHM, CURVE_OR_N, X_OR_E, Y] = [1, 3, -1, -2, -3];
const [OKP, EC2, RSA] = [1, 2, 3];
const [P256, ED25519] = [1, 6];

/** OpenSSL's time grows with the size of the modulus. */
const MAX_MODULUS = 1024;
const MAX_EXPONENT = 8;

/** The key of a passkey. Throws if it is no valid key of an allowed algorithm. */
export function keyOf(map: CborMap): PasskeyKey {
  const algorithm = map.get(ALGORITHM);
  try {
    return {
      algorithm: knownAlgorithm(algorithm, 'the public key of the passkey'),
      key: createPublicKey({ key: jwkOf(map), format: 'jwk' }),
    };
  } catch (thrown) {
    // OpenSSL refuses points that are not on the curve.
    if (thrown instanceof Error && 'code' in thrown)
      throw refused('the public key of the passkey is not a valid key');
    throw thrown;
  }
}

/** Throws for an algorithm that passkeys here cannot have. `what` names the thing that has it. */
export function knownAlgorithm(algorithm: unknown, what: string): Algorithm {
  const known = Object.values(ALGORITHMS).find((each) => each === algorithm);
  if (known !== undefined) return known;
  const names = Object.entries(ALGORITHMS).map(([name, number]) => `${number} (${name})`);
  const given = typeof algorithm === 'number' ? String(algorithm) : 'none';
  throw refused(`${what} has the algorithm ${given}: allowed are ${names.join(', ')}`);
}

function jwkOf(map: CborMap): JsonWebKey {
  const [type, curve] = [map.get(KEY_TYPE), map.get(CURVE_OR_N)];
  switch (map.get(ALGORITHM)) {
    case ALGORITHMS.ES256:
      if (type !== EC2 || curve !== P256) throw mismatch('ES256', 'the curve P-256');
      return { kty: 'EC', crv: 'P-256', x: bytesAt(map, X_OR_E, 32, 32), y: bytesAt(map, Y, 32, 32) };
    case ALGORITHMS.EdDSA:
      if (type !== OKP || curve !== ED25519) throw mismatch('EdDSA', 'the curve Ed25519');
      return { kty: 'OKP', crv: 'Ed25519', x: bytesAt(map, X_OR_E, 32, 32) };
    default:
      if (type !== RSA) throw mismatch('RS256', 'an RSA key');
      return {
        kty: 'RSA',
        n: bytesAt(map, CURVE_OR_N, 128, MAX_MODULUS),
        e: bytesAt(map, X_OR_E, 1, MAX_EXPONENT),
      };
  }
}

const mismatch = (name: string, wanted: string) =>
  refused(`the public key of the passkey has the algorithm ${name}, which needs ${wanted}`);

function bytesAt(map: CborMap, label: number | undefined, least: number, most: number): string {
  const value = map.get(label!);
  if (!Buffer.isBuffer(value) || value.length < least || value.length > most)
    throw refused(
      `the public key of the passkey needs ${least === most ? least : `${least} to ${most}`} bytes at label ${label}`,
    );
  return value.toString('base64url');
}

/** Whether the signature is right. A signature of a wrong form is wrong. */
export const isSignedBy = ({ algorithm, key }: PasskeyKey, data: Buffer, signature: Buffer): boolean =>
  verify(algorithm === ALGORITHMS.EdDSA ? null : 'sha256', data, key, signature);
