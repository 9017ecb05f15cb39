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

/**
 * The bytes of a field in JSON, in base64 or base64url, with padding or without, as the JSON form of protobuf allows.
 * Undefined for every other text, such as one with unused bits that are set.
 */
export function base64Bytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const padded = bytes.toString('base64');
  const bare = padded.replace(/=+$/, '');
  const url = bytes.toString('base64url');
  return [padded, bare, url, url + padded.slice(bare.length)].includes(text) ? bytes : undefined;
}
