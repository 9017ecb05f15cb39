/** Shorter texts are too likely to be ordinary words elsewhere. */
const SHORTEST = 6;
/** A secret of these characters is found as a whole word of a text. */
const WORD = /[\w~+-]{6,}/g;
const IS_WORD = /^[\w~+-]+$/;
const MOST = 100_000;
/** Secrets with other characters are searched one by one. */
const MOST_ODD = 2000;

const STAND_IN = /redacted-([\w.-]+?)-(\d+)/g;

/** Replaces equal secrets by equal stand-ins, such as `redacted-client_secret-1`. The secrets stay in memory. */
export class StandIns {
  readonly #known = new Map<string, string>();
  readonly #odd = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `written`: what the recording holds already. Its stand-ins are not given again. */
  constructor(written: string) {
    for (const [, name, number] of written.matchAll(STAND_IN))
      this.#counts.set(name!, Math.max(this.#counts.get(name!) ?? 0, Number(number)));
  }

  /** `name`: what the secret is, for readers. */
  for(secret: string, name: string): string {
    const known = this.#known.get(secret) ?? this.#odd.get(secret);
    if (known !== undefined) return known;
    const standIn = this.#next(name);
    this.#remember(secret, standIn);
    return standIn;
  }

  numberFor(secret: number, name: string): number {
    return Number(/\d+$/.exec(this.for(`number ${secret}`, name))?.[0]);
  }

  /** Replaces secrets that were met before. */
  replaceIn(text: string): string {
    let replaced = text.replace(WORD, (word) => this.#known.get(word) ?? word);
    for (const [secret, standIn] of this.#odd)
      if (replaced.includes(secret)) replaced = replaced.replaceAll(secret, () => standIn);
    return replaced;
  }

  #next(name: string): string {
    const plain = name
      .toLowerCase()
      .replace(/[^\w.-]+/g, '_')
      .slice(0, 40);
    const count = (this.#counts.get(plain) ?? 0) + 1;
    this.#counts.set(plain, count);
    return `redacted-${plain}-${count}`;
  }

  #remember(secret: string, standIn: string): void {
    const isSearched = secret.length >= SHORTEST;
    const kept = isSearched && !IS_WORD.test(secret) ? this.#odd : this.#known;
    const most = kept === this.#odd ? MOST_ODD : MOST;
    if (kept.size >= most) kept.delete(kept.keys().next().value!);
    kept.set(secret, standIn);
    const encoded = encodeURIComponent(secret);
    if (kept === this.#odd && encoded !== secret) this.#odd.set(encoded, standIn);
  }
}
