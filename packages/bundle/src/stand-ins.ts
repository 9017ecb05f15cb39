import { createHash, createHmac, randomBytes } from 'node:crypto';

/** Letters and digits of base32 and of numbers alone, so that a stand-in fits where the secret did. */
const ALPHABETS: readonly [RegExp, string][] = [
  [/[0-9]/, '234567'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
];

const SCHEME = /^(bearer|basic) (\S+)$/i;

/** Texts in place of secrets: of the same form and length, the same for the same secret, and without a way back. */
export class StandIns {
  readonly #key = randomBytes(32);
  readonly #environment: string;
  readonly #known = new Map<string, string>();

  /** Codes and secrets begin with the name of their environment, which is not secret. */
  constructor(environment: string) {
    this.#environment = environment;
  }

  /** All that were given out. */
  list(): string[] {
    return [...new Set(this.#known.values())];
  }

  /** `name`: the member or header that holds the secret. */
  readonly standIn = (secret: string, name?: string): string => {
    const [, scheme, credentials] = SCHEME.exec(secret) ?? [];
    if (scheme !== undefined && credentials !== undefined)
      return `${scheme} ${scheme.toLowerCase() === 'basic' ? this.#basic(credentials) : this.#of(credentials)}`;
    const lower = name?.toLowerCase();
    if (lower === 'cookie' || lower === 'set-cookie') return this.#cookies(secret);
    return this.#of(secret);
  };

  /** Makes the stand-in of a challenge fit that of its verifier (RFC 7636 4.2). */
  noteVerifier(verifier: string): void {
    const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
    this.#known.set(hash(verifier), hash(this.#of(verifier)));
  }

  #basic(credentials: string): string {
    const [, id = '', secret] = /^(.*?):(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
    if (secret === undefined) return this.#of(credentials);
    const plain = (text: string) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    };
    return Buffer.from(`${id}:${encodeURIComponent(this.#of(plain(secret)))}`).toString('base64');
  }

  #cookies(text: string): string {
    return text.replace(/(^|; ?)([^=;\s]+)=([^;]*)/g, (whole, before: string, name: string, value: string) =>
      ATTRIBUTES.has(name.toLowerCase()) ? whole : `${before}${name}=${this.#of(value)}`,
    );
  }

  #of(secret: string): string {
    const known = this.#known.get(secret);
    if (known !== undefined) return known;
    if (secret.length < 2) return secret;
    // Templates of answers stay templates.
    const made = secret
      .split(PLACEHOLDER)
      .map((part, index) => (index % 2 === 0 ? this.#make(part) : part))
      .join('');
    this.#known.set(secret, made);
    return made;
  }

  #make(secret: string): string {
    const kept = this.#prefixOf(secret);
    const rest = secret.slice(kept.length);
    let drawn = Buffer.alloc(0);
    for (let block = 0; drawn.length < rest.length; block += 1)
      drawn = Buffer.concat([drawn, createHmac('sha256', this.#key).update(`${block} ${secret}`).digest()]);
    const made = Array.from(rest, (character, index) => {
      const [, letters] = ALPHABETS.find(([kind]) => kind.test(character)) ?? [];
      return letters ? letters[drawn[index]! % letters.length]! : character;
    });
    return kept + made.join('');
  }

  /** `worker-1.`, `test_worker-1_`, or the kind of the secret, such as `whsec_` and `eyJ`. */
  #prefixOf(secret: string): string {
    const named = [`${this.#environment}.`, `test_${this.#environment}_`].find((each) =>
      secret.startsWith(each),
    );
    return named ?? /^(?:eyJ|[a-z]{2,10}_)/.exec(secret)?.[0] ?? '';
  }
}

const PLACEHOLDER = /(\{\{[^{}]*\}\})/;

const ATTRIBUTES = new Set(['path', 'domain', 'expires', 'max-age', 'samesite']);
