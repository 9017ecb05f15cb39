const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Texts in base64 or base64url that Node reads as the same bytes as `text`, and that nobody writes. */
export function otherTexts(text: string): string[] {
  const bare = text.replace(/=+$/, '');
  const bytes = Buffer.from(bare, 'base64');
  const withUnusedBits = Array.from(ALPHABET, (letter) => bare.slice(0, -1) + letter).filter(
    (other) => other !== bare && Buffer.from(other, 'base64').equals(bytes),
  );
  return [`${text}!`, `${bare}=====`, ...withUnusedBits];
}
