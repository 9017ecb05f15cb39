import type { Committed } from '../environments/world-state.ts';
import type { Keys } from '../world/keys.ts';

/** The result with signed tokens where the handler's placeholders stand, one level deep. */
export async function signTokens({ result, tokens }: Committed<unknown>, keys: Keys): Promise<unknown> {
  if (tokens.size === 0) return result;
  const signed = new Map<unknown, string>();
  for (const [placeholder, claims] of tokens) signed.set(placeholder, await keys.sign(claims));
  return Object.fromEntries(
    Object.entries(result as Record<string, unknown>).map(([name, value]) => [
      name,
      signed.get(value) ?? value,
    ]),
  );
}
