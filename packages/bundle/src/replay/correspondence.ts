/** An id of the service, such as `org_317747680558166853`. */
const ID = /^(?:[a-z0-9-]+\.)?[a-z]+_\d{12,}$/;
/** What an id or a secret may consist of. */
const TOKEN = /[\w.+/=~-]{2,}/g;

const escaped = (text: string) => text.replace(/[\\^$.|?*+()[\]{}/-]/g, '\\$&');

/**
 * What stands now for each secret and each id of a bundle. A secret of a bundle is a stand-in, so that the service gives
 * another one now; an id is another one where the clock of the bundle was not frozen.
 */
export class Correspondence {
  readonly #standIns: ReadonlySet<string>;
  readonly #now = new Map<string, string>();

  constructor(standIns: Iterable<string>) {
    this.#standIns = new Set(standIns);
  }

  /** The environment has the rows of the bundle again, with its ids and stand-ins. Tokens stay what they are. */
  forgetRows(): void {
    for (const [then, now] of this.#now) if (!now.startsWith('eyJ')) this.#now.delete(then);
  }

  /** Secrets of a text, as the bundle has them, that nothing has told yet. */
  unknownIn(text: string): string[] {
    return this.#partsOf(text).filter((part) => this.#standIns.has(part) && !this.#now.has(part));
  }

  /** The text as a caller has to send it now. */
  translate(text: string): string {
    const whole = this.#now.get(text);
    if (whole !== undefined) return whole;
    return text.replace(TOKEN, (token) =>
      this.#splitToken(token)
        .map((part) => this.#now.get(part) ?? part)
        .join(''),
    );
  }

  translateAll(value: unknown): unknown {
    if (typeof value === 'string') return this.translate(value);
    if (Array.isArray(value)) return value.map((each) => this.translateAll(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.translateAll(member)]));
  }

  /** Whether the texts say the same. Learns what the secrets and ids in them are now. */
  match(then: string, now: string): boolean {
    if (this.#standIns.has(then)) return this.#learn([then], [now]);
    const parts = this.#partsOf(then);
    if (parts.length === 0) return then === now;
    const found = new RegExp(`^${this.#patternFor(then, parts)}$`, 's').exec(now);
    return found !== null && this.#learn(parts, found.slice(1));
  }

  #learn(parts: readonly string[], values: readonly string[]): boolean {
    for (const [index, part] of parts.entries()) {
      const value = values[index]!;
      const known = this.#now.get(part);
      if (!this.#standIns.has(part) && known !== undefined && known !== value) return false;
      this.#now.set(part, value);
    }
    return true;
  }

  /** Ids keep their kind, and secrets are as long as they like. */
  #patternFor(then: string, parts: readonly string[]): string {
    let pattern = '';
    let at = 0;
    for (const part of parts) {
      const start = then.indexOf(part, at);
      const [, kind] = /^(.*?)\d+$/.exec(part) ?? [];
      const value = this.#standIns.has(part) ? '([^\\s"\'<>&;]+?)' : `(${escaped(kind ?? '')}\\d+)`;
      pattern += escaped(then.slice(at, start)) + value;
      at = start + part.length;
    }
    return pattern + escaped(then.slice(at));
  }

  #partsOf(text: string): string[] {
    return (text.match(TOKEN) ?? []).flatMap((token) =>
      this.#splitToken(token).filter((part) => this.#isPart(part)),
    );
  }

  #isPart(text: string): boolean {
    return this.#standIns.has(text) || ID.test(text);
  }

  /** A path and an assignment consist of several. */
  #splitToken(token: string): string[] {
    if (this.#isPart(token)) return [token];
    const split = token.split(/([/=]|\.(?=$|[^\w]))/);
    return split.length > 1 ? split : [token];
  }
}
