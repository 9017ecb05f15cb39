import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { CompactSign, compactVerify, importJWK, type CryptoKey, type JWK } from 'jose';
import { DEVELOPMENT_KEY } from './development-key.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A token before it is signed. `hashes`: claims by name, with the text to hash. */
export interface UnsignedToken {
  claims: Claims;
  hashes: Readonly<Record<string, string>>;
}

/** The most tokens of all environments that are cached. */
const MAX_TOKENS = 5000;

const HEADER = { alg: 'RS256', kid: DEVELOPMENT_KEY.kid };

/** One signing key for all environments, because SDKs cache the answer of /keys forever. */
export class Keys {
  #signing: Promise<CryptoKey> | undefined;
  #verifying: Promise<CryptoKey> | undefined;
  #publicKey: KeyObject | undefined;
  /** Claims by token, because checking a signature costs more than the rest of a small call. */
  readonly #verified = new Map<string, Claims>();

  /** The body of /keys. */
  jwks() {
    const { kty, use, kid, alg, n, e } = DEVELOPMENT_KEY;
    return { keys: [{ kty, use, kid, alg, n, e }] };
  }

  /** `typ` separates kinds of tokens. */
  async sign(claims: Claims, typ = 'JWT'): Promise<string> {
    this.#signing ??= importKey(DEVELOPMENT_KEY);
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    return new CompactSign(payload).setProtectedHeader({ ...HEADER, typ }).sign(await this.#signing);
  }

  /** The claims of a token that was verified before. */
  known(token: string): Claims | undefined {
    return this.#verified.get(token);
  }

  /** The claims of a token that this key signed, expired or not; otherwise undefined. */
  async verify(token: string): Promise<Claims | undefined> {
    const claims = await this.#check(token);
    if (claims) this.#remember(token, claims);
    return claims;
  }

  /** The environment that a token names, whoever signed it; undefined for texts that are no tokens. */
  environmentOf(token: string): string | undefined {
    const claims = this.#verified.get(token) ?? unverifiedClaims(token);
    return claims && environmentIn(claims);
  }

  async #check(token: string): Promise<Claims | undefined> {
    this.#verifying ??= importKey(this.jwks().keys[0]!);
    try {
      const { payload } = await compactVerify(token, await this.#verifying, { algorithms: ['RS256'] });
      return readClaims(payload);
    } catch {
      // The caller only learns that the token is not valid.
      return undefined;
    }
  }

  #remember(token: string, claims: Claims): void {
    const oldest = this.#verified.keys().next();
    if (this.#verified.size >= MAX_TOKENS && !oldest.done) this.#verified.delete(oldest.value);
    this.#verified.set(token, claims);
  }

  /** Like `verify`, but synchronous, for handlers. */
  verifySync(token: string): Claims | undefined {
    const [header = '', payload = '', signature = '', ...more] = token.split('.');
    if (more.length > 0 || signature === '') return undefined;
    this.#publicKey ??= createPublicKey({ key: this.jwks().keys[0]! satisfies JsonWebKey, format: 'jwk' });
    const signed = Buffer.from(`${header}.${payload}`);
    const isOurs = verify('RSA-SHA256', signed, this.#publicKey, Buffer.from(signature, 'base64url'));
    return isOurs ? readClaims(Buffer.from(payload, 'base64url')) : undefined;
  }
}

/** The claims of a token without checking its signature. */
function unverifiedClaims(token: string): Claims | undefined {
  const payload = token.split('.')[1];
  return payload === undefined ? undefined : readClaims(Buffer.from(payload, 'base64url'));
}

function readClaims(payload: Uint8Array): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    return typeof claims === 'object' && claims !== null ? (claims as Claims) : undefined;
  } catch {
    // Not JSON, so not a token of ours.
    return undefined;
  }
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, 'RS256')) as CryptoKey;
}

/** The environment that issued the token. Tokens of `default` do not name it. */
export const environmentIn = ({ understudy_environment: name }: Claims): string =>
  typeof name === 'string' ? name : 'default';

/** The claims, if the token is of this environment. */
export const claimsIn = (environment: string, claims: Claims | undefined) =>
  claims && environmentIn(claims) === environment ? claims : undefined;
