import type { Claims, Keys } from '../world/keys.ts';

const MOST = 1000;

/** Remembers whose signatures were good: checking one costs more than all the rest of a small call. */
export class VerifiedTokens {
  readonly #claims = new Map<string, Claims>();

  /** undefined: not a token of ours. Says nothing of its expiry. */
  async claims(token: string, keys: Keys): Promise<Claims | undefined> {
    const known = this.#claims.get(token);
    if (known) return known;
    const claims = await keys.verify(token);
    if (claims) this.#remember(token, claims);
    return claims;
  }

  /** undefined: not seen before, which says nothing of it. */
  known(token: string): Claims | undefined {
    return this.#claims.get(token);
  }

  #remember(token: string, claims: Claims): void {
    const oldest = this.#claims.keys().next();
    if (this.#claims.size >= MOST && !oldest.done) this.#claims.delete(oldest.value);
    this.#claims.set(token, claims);
  }
}

/** Tokens of other environments than `default` name theirs; each is good in its own alone. */
export const claimsIn = (environment: string, claims: Claims | undefined) =>
  (claims?.['understudy_environment'] ?? 'default') === environment ? claims : undefined;
