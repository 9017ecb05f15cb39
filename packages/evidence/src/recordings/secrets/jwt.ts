import { isObject, jsonIn } from '@understudy/text/json';

/** A signed token in a text: three parts in base64url, the last of which may be empty. Encrypted ones have five. */
export const JWTS = /(?<![\w.-])[\w-]{8,}(?:\.[\w-]*){2,4}(?![\w-])/g;

export interface Jwt {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** The first two parts. */
  signed: [string, string];
  signature: string;
}

/** Undefined for a text that is none. Encrypted tokens have no claims that can be read. */
export function readJwt(text: string): Jwt | 'encrypted' | undefined {
  const [first = '', second = '', signature = '', ...others] = text.split('.');
  const header = decoded(first);
  if (!header || typeof header['alg'] !== 'string') return undefined;
  if (others.length > 0) return 'encrypted';
  const claims = decoded(second);
  return claims ? { header, claims, signed: [first, second], signature } : undefined;
}

/** What can be read of a signed token. Undefined for any other text. */
export function claimsIn(text: string): Pick<Jwt, 'header' | 'claims'> | undefined {
  const read = readJwt(text);
  return read && read !== 'encrypted' ? { header: read.header, claims: read.claims } : undefined;
}

export const encodeJson = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(part: string): Record<string, unknown> | undefined {
  const value = jsonIn(Buffer.from(part, 'base64url').toString());
  return isObject(value) ? value : undefined;
}
