import { isObject } from '../text/json.ts';

const TOKEN = /^([\w-]+)\.([\w-]+)\.[\w-]*$/;

/** Header and claims of a JWT. Undefined for any other text. */
export function claimsIn(text: string): { header: object; claims: object } | undefined {
  const [, head = '', body = ''] = TOKEN.exec(text) ?? [];
  const [header, claims] = [decoded(head), decoded(body)];
  return header && claims ? { header, claims } : undefined;
}

function decoded(part: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
