import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isObject } from '../../text/json.ts';

/** A JSON Web Token that nobody has checked yet. */
export interface UncheckedToken {
  header: Readonly<Record<string, unknown>>;
  claims: Readonly<Record<string, unknown>>;
  signed: Buffer;
  signature: Buffer;
}

/** undefined: the text is no signed JSON Web Token. */
export function readToken(text: string): UncheckedToken | undefined {
  const [head = '', payload = '', signature = '', ...more] = text.split('.');
  const [header, claims] = [decoded(head), decoded(payload)];
  if (!header || !claims || signature === '' || more.length > 0) return undefined;
  const signed = Buffer.from(`${head}.${payload}`);
  return { header, claims, signed, signature: Buffer.from(signature, 'base64url') };
}

function decoded(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON
  }
}

/** The keys of a JSON Web Key Set; undefined if the text is none. */
export function readKeys(text: string): Record<string, unknown>[] | undefined {
  try {
    const set: unknown = JSON.parse(text);
    return isObject(set) && Array.isArray(set['keys']) ? set['keys'].filter(isObject) : undefined;
  } catch {
    return undefined; // not JSON
  }
}

/** How Node names each algorithm, and the type of its keys. Those with a shared secret must not be here (RFC 8725 3.1). */
const ALGORITHMS: Readonly<Record<string, { hash: string | null; kty: string } | undefined>> = {
  RS256: { hash: 'RSA-SHA256', kty: 'RSA' },
  RS384: { hash: 'RSA-SHA384', kty: 'RSA' },
  RS512: { hash: 'RSA-SHA512', kty: 'RSA' },
  ES256: { hash: 'SHA256', kty: 'EC' },
  ES384: { hash: 'SHA384', kty: 'EC' },
  EdDSA: { hash: null, kty: 'OKP' },
};

/**
 * Whether one of the keys has signed the token. A handler cannot wait, and jose verifies asynchronously, so this is done
 * with Node's own functions.
 */
export function isSigned(token: UncheckedToken, keys: readonly Record<string, unknown>[]): boolean {
  const { alg, kid } = token.header;
  const algorithm = Object.hasOwn(ALGORITHMS, String(alg)) ? ALGORITHMS[String(alg)] : undefined;
  if (!algorithm) return false;
  const fitting = keys.filter(
    (key) => key['kty'] === algorithm.kty && (kid === undefined || key['kid'] === kid),
  );
  return fitting.some((key) => isSignedBy(key, token, algorithm.hash));
}

function isSignedBy(jwk: JsonWebKey, { signed, signature }: UncheckedToken, hash: string | null): boolean {
  try {
    const key: KeyObject = createPublicKey({ key: jwk, format: 'jwk' });
    return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false; // no usable key
  }
}
