import { verify } from 'node:crypto';
import { CompactSign, compactVerify } from 'jose';
import { timeCause, type Cause } from '../contract/cause.ts';
import { unauthenticated, type ApiError } from '../contract/errors.ts';
import { base64UrlBytes, isCanonicalToken } from '@understudy/text/base64url';
import { shortened } from '@understudy/text/suggestion';
import { environmentOfClient } from './credentials.ts';
import type { SigningKey } from './signing-keys.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A token before `key` signs it. `hashes`: claims by name, with the text to hash. */
export interface UnsignedToken {
  key: SigningKey;
  claims: Claims;
  hashes: Readonly<Record<string, string>>;
}

/** The most tokens of all environments that are cached. */
const MAX_TOKENS = 5000;

/** A token that was verified, and the key that signed it. */
interface VerifiedToken {
  key: SigningKey;
  claims: Claims;
}

/** Signs and verifies tokens, with the keys that an environment has at the time. */
export class Keys {
  /** By token, because checking a signature costs more than the rest of a small call. */
  readonly #verified = new Map<string, VerifiedToken>();

  /** `typ` separates kinds of tokens. */
  async sign(claims: Claims, { kid, privateKey }: SigningKey, typ = 'JWT'): Promise<string> {
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    return new CompactSign(payload).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(privateKey);
  }

  /** The claims of a token that one of the keys signed, expired or not; otherwise undefined. */
  async verify(token: string, keys: readonly SigningKey[]): Promise<Claims | undefined> {
    const known = this.#verified.get(token);
    if (known && keys.includes(known.key)) return known.claims;
    const key = isCanonicalToken(token) ? signerOf(token, keys) : undefined;
    const claims = key && (await check(token, key));
    if (claims) this.#remember(token, { key, claims });
    return claims;
  }

  /** The environment that a token names, whoever signed it; undefined for texts that are no tokens. */
  environmentOf(token: string): string | undefined {
    const claims = this.#verified.get(token)?.claims ?? unverifiedClaims(token);
    return claims && environmentIn(claims);
  }

  #remember(token: string, verified: VerifiedToken): void {
    const oldest = this.#verified.keys().next();
    if (this.#verified.size >= MAX_TOKENS && !oldest.done) this.#verified.delete(oldest.value);
    this.#verified.set(token, verified);
  }
}

/** Like `Keys.verify`, but synchronous, for handlers. */
export function verifySync(token: string, keys: readonly SigningKey[]): Claims | undefined {
  // Two texts of one token would be two tokens for whoever compares or revokes them by their text.
  const key = isCanonicalToken(token) ? signerOf(token, keys) : undefined;
  if (!key) return undefined;
  const [header = '', payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  const isOurs = verify('RSA-SHA256', signed, key.publicKey, Buffer.from(signature, 'base64url'));
  return isOurs ? readJson(Buffer.from(payload, 'base64url')) : undefined;
}

async function check(token: string, { publicKey }: SigningKey): Promise<Claims | undefined> {
  try {
    const { payload } = await compactVerify(token, publicKey, { algorithms: ['RS256'] });
    return readJson(payload);
  } catch {
    // The caller only learns that the token is not valid.
    return undefined;
  }
}

/** The `kid` in the header of a token, whoever signed it; undefined for texts that are no tokens. */
function kidOf(token: string): string | undefined {
  const kid = segment(token, 0)?.['kid'];
  return typeof kid === 'string' ? kid : undefined;
}

function signerOf(token: string, keys: readonly SigningKey[]): SigningKey | undefined {
  const named = kidOf(token);
  return keys.find(({ kid }) => kid === named);
}

/** The claims of a token without checking its signature. */
const unverifiedClaims = (token: string): Claims | undefined => segment(token, 1);

function segment(token: string, position: number): Claims | undefined {
  const bytes = base64UrlBytes(token.split('.')[position] ?? '');
  return bytes && readJson(bytes);
}

function readJson(bytes: Uint8Array): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? (claims as Claims) : undefined;
  } catch {
    // Not JSON, so not a token of ours.
    return undefined;
  }
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

/** Why a token could not be verified with the keys of the environment. */
export function unverified(token: string, keys: readonly SigningKey[], environment: Issuer): ApiError {
  const kid = kidOf(token);
  const claims = unverifiedClaims(token);
  if (kid === undefined || !claims || signerOf(token, keys))
    return unauthenticated('token is malformed or was not issued here').because({
      kind: 'authentication',
      says:
        kid === undefined || !claims
          ? 'What was sent as a token is no JSON Web Token, so this service did not issue it'
          : 'The signature of the token does not fit: the token was changed or cut off after it was issued',
    });
  const issuer = environmentIn(claims);
  return issuer === environment.name
    ? unauthenticated(`token is signed with the key ${shortened(kid)}, which is not in /keys; get a new one`)
    : issuedElsewhere(issuer, environment);
}

const issuedElsewhere = (issuer: string, { name }: Issuer): ApiError =>
  unauthenticated(`token was issued in environment ${shortened(issuer)}, and this call is for ${name}`);

/** A token may have any number as its end. */
const endOf = (end: number): Cause =>
  Number.isNaN(new Date(end).getTime()) ? { kind: 'time' } : timeCause(end);

/** Throws `unauthenticated` unless the token is of this environment and still good at `now`, on its clock. */
export function refuseForeign(claims: Claims, environment: Issuer, now: number): void {
  const issuer = environmentIn(claims);
  if (issuer !== environment.name) throw issuedElsewhere(issuer, environment);
  if (!isOfGeneration(environment, claims))
    throw unauthenticated(
      `token was issued in an environment ${issuer} that was dropped; get one of the new ${issuer}`,
    );
  const end = Number(claims['exp']) * 1000;
  if (!(end > now)) throw unauthenticated('token is expired').because(endOf(end));
}
