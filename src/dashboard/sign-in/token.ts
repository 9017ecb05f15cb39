import { environment } from '../session.ts';
import { readAnswer } from '../service.ts';
import { bytesIn, bytesOf, NO_CRYPTO, subtle } from './bytes.ts';

interface Decoded {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** The parts of a JWT; undefined for any other text. */
export function decode(token: string): Decoded | undefined {
  const [header = '', claims = '', signature, ...rest] = token.split('.');
  if (signature === undefined || rest.length > 0) return undefined;
  try {
    return { header: partOf(header), claims: partOf(claims) };
  } catch {
    return undefined;
  }
}

const partOf = (text: string) =>
  JSON.parse(new TextDecoder().decode(bytesIn(text))) as Record<string, unknown>;

/** What a check of a token found. */
export interface CheckResult {
  /** Undefined if the browser can't tell. */
  good: boolean | undefined;
  text: string;
}

type Key = JsonWebKey & { kid?: string };

/** Whether a key of the environment has signed the token. */
export async function verifySignature(token: string): Promise<CheckResult> {
  const kid = decode(token)?.header['kid'];
  const response = await fetch('/keys', { headers: { 'understudy-environment': environment.value.name } });
  const { keys } = await readAnswer<{ keys: Key[] }>(response);
  const key = keys.find((each) => each.kid === kid);
  if (!key) return { good: false, text: `/keys has no key with the kid ${String(kid)}.` };
  if (!subtle) return { good: undefined, text: NO_CRYPTO };
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const imported = await subtle.importKey('jwk', key, algorithm, false, ['verify']);
  const [header, claims, signature = ''] = token.split('.');
  const good = await subtle.verify(algorithm, imported, bytesIn(signature), bytesOf(`${header}.${claims}`));
  const text = good
    ? `The key ${kid as string} of /keys signed it.`
    : `The key ${kid as string} did not sign it.`;
  return { good, text };
}
