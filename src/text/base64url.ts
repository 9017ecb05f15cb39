/**
 * The bytes of a text in base64url; undefined unless it is the one text that encodes them, without padding, other
 * characters or unused bits that are set (RFC 7515 2, RFC 4648 3.5). `Buffer` reads all of these.
 */
export function base64UrlBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Whether each part of a signed JSON Web Token is the only text of its bytes. */
export function isCanonicalToken(token: string): boolean {
  const parts = token.split('.', 4);
  return parts.length === 3 && parts.every((part) => base64UrlBytes(part) !== undefined);
}
