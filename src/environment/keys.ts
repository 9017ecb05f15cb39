import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { CompactSign, compactVerify, importJWK, type CryptoKey, type JWK } from 'jose';
import { DEVELOPMENT_KEY } from './credentials.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A token before it is signed: `hashes` are claims by name, with the text whose hash each is. */
export interface UnsignedToken {
  claims: Claims;
  hashes: Readonly<Record<string, string>>;
}

const HEADER = { alg: 'RS256', kid: DEVELOPMENT_KEY.kid };

/** One signing key for all environments: SDKs keep the answer of /keys for as long as they live. */
export class Keys {
  #signing: Promise<CryptoKey> | undefined;
  #verifying: Promise<CryptoKey> | undefined;
  #reading: KeyObject | undefined;

  /** What /keys answers. */
  jwks() {
    const { kty, use, kid, alg, n, e } = DEVELOPMENT_KEY;
    return { keys: [{ kty, use, kid, alg, n, e }] };
  }

  /** `typ` tells tokens of one kind from those of another. */
  async sign(claims: Claims, typ = 'JWT'): Promise<string> {
    this.#signing ??= imported(DEVELOPMENT_KEY);
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    return new CompactSign(payload).setProtectedHeader({ ...HEADER, typ }).sign(await this.#signing);
  }

  /** The claims of a token of ours; undefined when it is malformed or anyone else's. Says nothing of its expiry. */
  async verify(token: string): Promise<Claims | undefined> {
    this.#verifying ??= imported(this.jwks().keys[0]!);
    try {
      const { payload } = await compactVerify(token, await this.#verifying, { algorithms: ['RS256'] });
      return readClaims(payload);
    } catch {
      // jose says which part of it is wrong; a caller only hears that the token is not valid.
      return undefined;
    }
  }

  /** As `verify`, at once: for tokens inside of a request, where nothing can be waited for. */
  read(token: string): Claims | undefined {
    const [header = '', payload = '', signature = '', ...more] = token.split('.');
    if (more.length > 0 || signature === '') return undefined;
    this.#reading ??= createPublicKey({ key: this.jwks().keys[0]! satisfies JsonWebKey, format: 'jwk' });
    const signed = Buffer.from(`${header}.${payload}`);
    const isOurs = verify('RSA-SHA256', signed, this.#reading, Buffer.from(signature, 'base64url'));
    return isOurs ? readClaims(Buffer.from(payload, 'base64url')) : undefined;
  }
}

/** The claims that a token carries, whoever made it; undefined when it carries none. */
export function unverifiedClaims(token: string): Claims | undefined {
  const payload = token.split('.')[1];
  return payload === undefined ? undefined : readClaims(Buffer.from(payload, 'base64url'));
}

function readClaims(payload: Uint8Array): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    return typeof claims === 'object' && claims !== null ? (claims as Claims) : undefined;
  } catch {
    // Not JSON: not a token of ours.
    return undefined;
  }
}

async function imported(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, 'RS256')) as CryptoKey;
}

const MOST = 1000;

/** Remembers whose signatures were good: checking one costs more than all the rest of a small call. */
export class VerifiedTokens {
  readonly #claims = new Map<string, Claims>();

  /** undefined: not a token of ours. Says nothing of its expiry. */
  async claims(token: string, keys: Keys): Promise<Claims | undefined> {
    const known = this.#claims.get(token);
    if (known) return known;
    const claims = await keys.verify(token);
    if (claims) this.#remember(token, claims);
    return claims;
  }

  /** undefined: not seen before, which says nothing of it. */
  known(token: string): Claims | undefined {
    return this.#claims.get(token);
  }

  #remember(token: string, claims: Claims): void {
    const oldest = this.#claims.keys().next();
    if (this.#claims.size >= MOST && !oldest.done) this.#claims.delete(oldest.value);
    this.#claims.set(token, claims);
  }
}

/** Tokens of other environments than `default` name theirs; each is good in its own alone. */
export const claimsIn = (environment: string, claims: Claims | undefined) =>
  (claims?.['understudy_environment'] ?? 'default') === environment ? claims : undefined;
