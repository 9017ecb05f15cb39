import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { CompactSign, compactVerify, importJWK, type CryptoKey, type JWK } from 'jose';
import { unauthenticated } from '../errors.ts';
import { base64UrlBytes, isCanonicalToken } from '../text/base64url.ts';
import { shortened } from '../text/suggestion.ts';
import { environmentOfClient } from './credentials.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A token before it is signed. `hashes`: claims by name, with the text to hash. */
export interface UnsignedToken {
  claims: Claims;
  hashes: Readonly<Record<string, string>>;
}

/** The most tokens of all environments that are cached. */
const MAX_TOKENS = 5000;

/** The signing key of every Understudy process, public on purpose: nobody must trust these tokens elsewhere. */
export const DEVELOPMENT_KEY = {
  kid: 'snk_10000000000000001',
  alg: 'RS256' as const,
  use: 'sig' as const,
  kty: 'RSA' as const,
  n: [
    'wmjh2DT30Cx7aEWiF8E6zB2ywcdD0T89PknLGp3dP_I-WtcsadEHiq9H_IgdAHxsfAhLpycd3UD5c4zwnqJvr0eDVJClQ1_g',
    'fGb-nbTvot_7NHk2N1aHqp13KUi_U7SSq--PAxNVjPz9Ksyu4LCyhNnnDs6uXvX36eUI6XxecU128THTbl4GoW5gk8wCnf0M',
    'FZBT48EbKD2bdS0bYMpnNJAGx99lu5T1ZC1nc_7aV2QpqaGoXL4VOjSiwD9e6OvmdMeGaHQ1uZf9cA4nNwswrFj8QIh5p7YG',
    'eYVF1ADtCjqEQAMz0gheFXvODaU_x93rCLUH49QNJU8DnaE_Yv1-4Q',
  ].join(''),
  e: 'AQAB',
  d: [
    'CAbQNZ7bkRxCYh08jTIyAnBtdiO120NQUiyLdrIINauDmI45bAsF09uFzi7efQEmHNQzhMIQMReNf7r_dO_sSuEvJ8QrFpuJ',
    'nLPx6kKorDcG25_vivGx0JZcxPcXHdZ0QdC2Z7WaJXk33gGtF2N5k2jzFGuYdnI9sJ9UsrMrAQ7Ty3fPvVy7zbdCwx57u4Zd',
    '6HeXJdWJUSg3CCniP6ODUcRXmgAz9UCKa-XzxA7Ttnm62O5FZWaXrhujMjBSKA0hLnVzjt-KDmt5yaNWK2rR6cdEzc47tAJn',
    'cTWBeujMA7NtKa887QtA8irbkNx8kqCkBHbPZHSRVYOZHrSVelhR2Q',
  ].join(''),
  p: [
    '4HpoxLysfqeQOvnkcId8zlj7MnWwgAOwNlGSZrYC9GvAbIvmOHiaEHZDVpTubf3ppoeYJU3wwI5iJg0CdzzTod-4tiRdCm8i',
    'DUX516t9kct5jaEtALwEE__eOp25KB61t5tYEMFu5Qjc71EqozjP1ovtGUGPh0IIyQwTjtMvJTU',
  ].join(''),
  q: [
    '3bWQqmwUGXnSfwDth4W0wZuUVM9_BJFZ7MZLflvNTWsZjY45W6wbrRVc8F8oabQOxIp1x0V864Y3UCOqPe__fU8AhpjKBV8p',
    'XOiEsc45FiQrvk8XtvZQF9Hhszt9P0BfxbXdjcpNgGus4cJC0DyhDzHx16ZjEg-nLQ7Qa4TFhH0',
  ].join(''),
  dp: [
    'Bxt5E7mRkJUHmQZueC2iAvqIQYm-Y986Bg5BH2Vl5I1A027-hA01e43zBdvDTNI8QpyKcavtEnuvmdrRmCrh3H8z3vh5xanN',
    'HzR2-6AfYq1ZlOVkgmBxlJyGUb7KrP2D7WNKv4UQWMoWDLG6Mt7KndViVWlg_PxXQN5UBDKljH0',
  ].join(''),
  dq: [
    'y_xjsAlkrNPjEis-YDRqzL9iSG3pBcDeJfWEPCwmxpZFmnJC38-IX0WKjzZeLnMWK0rhdoi-mMySU8-csQQB478uUqh9J1gY',
    '7HyaqiV9bJu3C5Al15bktiXLLWcMo4eNFpFv2SdLC18GX2impIVEAoEHbEyQVmvEerZomKQ-Ptk',
  ].join(''),
  qi: [
    'NUyQzsbZLZaOYGf9Juakkj2OvGFG534XId0GsF5qZ2qZU-kD6PhB0wxyX9jo9xM8t8HcNwy-ze_grpvrG1k_khnaMOFTlcDA',
    'NzU0-Qm-yc6utCDy65wg59o75JU8LSk5amy2bfJpooutUIpQaJWQP24j21JI_x8YA286E2DXvyo',
  ].join(''),
};

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
    // Two texts of one token would be two tokens for whoever compares or revokes them by their text.
    if (!isCanonicalToken(token)) return undefined;
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
    if (!isCanonicalToken(token)) return undefined;
    const [header = '', payload = '', signature = ''] = token.split('.');
    if (signature === '') return undefined;
    this.#publicKey ??= createPublicKey({ key: this.jwks().keys[0]! satisfies JsonWebKey, format: 'jwk' });
    const signed = Buffer.from(`${header}.${payload}`);
    const isOurs = verify('RSA-SHA256', signed, this.#publicKey, Buffer.from(signature, 'base64url'));
    return isOurs ? readClaims(Buffer.from(payload, 'base64url')) : undefined;
  }
}

/** The claims of a token without checking its signature. */
function unverifiedClaims(token: string): Claims | undefined {
  const payload = base64UrlBytes(token.split('.')[1] ?? '');
  return payload && readClaims(payload);
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

/** The environment that issued the token: in a claim of its own, unless the id of its client names it. */
const environmentIn = ({ understudy_environment: name, client_id }: Claims): string =>
  typeof name === 'string' ? name : environmentOfClient(typeof client_id === 'string' ? client_id : '');

/** An environment as its tokens name it. */
export interface Issuer {
  readonly name: string;
  /** How many environments had the name before. */
  readonly generation: number;
}

/** The claims of a new token. The first environment of a name leaves its generation out. */
export const issuedBy = ({ generation }: Issuer, claims: Claims): Claims =>
  generation === 0 ? claims : { ...claims, understudy_generation: generation };

const isOfGeneration = ({ generation }: Issuer, { understudy_generation = 0 }: Claims): boolean =>
  understudy_generation === generation;

/** The claims, if the token is of this environment. */
export const claimsIn = (issuer: Issuer, claims: Claims | undefined) =>
  claims && environmentIn(claims) === issuer.name && isOfGeneration(issuer, claims) ? claims : undefined;

/** Throws `unauthenticated` unless the token is of this environment and still good at `now`, on its clock. */
export function refuseForeign(
  claims: Claims | undefined,
  environment: Issuer,
  now: number,
): asserts claims is Claims {
  if (!claims) throw unauthenticated('token is malformed or was not issued here');
  const issuer = environmentIn(claims);
  if (issuer !== environment.name) {
    const named = shortened(issuer);
    throw unauthenticated(
      `token was issued in environment ${named}, and this call is for ${environment.name}`,
    );
  }
  if (!isOfGeneration(environment, claims))
    throw unauthenticated(
      `token was issued in an environment ${issuer} that was dropped; get one of the new ${issuer}`,
    );
  if (!(Number(claims['exp']) * 1000 > now)) throw unauthenticated('token is expired');
}
