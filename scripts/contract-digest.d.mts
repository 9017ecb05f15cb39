export const DIGEST_FILE: string;
export function contractDigest(): string;
