/** Absent where the page was not loaded from this machine or over https. */
export const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;

export const NO_CRYPTO = 'This browser checks signatures only for pages of localhost or over https.';

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** Reads base64 and base64url. */
export const bytesIn = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

export const randomText = (): string => base64UrlOf(crypto.getRandomValues(new Uint8Array(32)));

/** The challenge that belongs to a PKCE verifier (RFC 7636 4.2). */
export async function challengeOf(verifier: string): Promise<string | undefined> {
  const hash = await subtle?.digest('SHA-256', bytesOf(verifier));
  return hash && base64UrlOf(new Uint8Array(hash));
}
