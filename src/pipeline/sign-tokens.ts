import { createHash } from 'node:crypto';
import type { Committed } from '../environments/occasion.ts';
import { Answer, Redirect, withQuery } from '../operations/answer.ts';
import type { Keys } from '../world/keys.ts';

/** The result with signed tokens where the handler's placeholders stand: one level deep, or in a redirect's query. */
export async function signTokens({ result, tokens }: Committed<unknown>, keys: Keys): Promise<unknown> {
  if (tokens.size === 0) return result;
  const signed = new Map<unknown, string>();
  for (const [placeholder, { claims, hashes }] of tokens) {
    const added = Object.entries(hashes).map(([name, text]) => [name, halfHash(signed.get(text) ?? text)]);
    signed.set(placeholder, await keys.sign({ ...claims, ...Object.fromEntries(added) }));
  }
  if (result instanceof Redirect) return withTokens(result, (text) => signed.get(text) ?? text);
  if (result instanceof Answer) return result;
  return Object.fromEntries(
    Object.entries(result as Record<string, unknown>).map(([name, value]) => [
      name,
      signed.get(value) ?? value,
    ]),
  );
}

function withTokens({ status, headers, tokens }: Redirect, sign: (text: string) => string): Answer {
  const named = Object.entries(tokens).map(([name, placeholder]) => [name, sign(placeholder)]);
  const location = withQuery(String(headers['location']), Object.fromEntries(named));
  return new Answer(status, { ...headers, location });
}

/** What `at_hash` and `c_hash` are for RS256 (OpenID Connect Core 3.1.3.6). */
const halfHash = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
