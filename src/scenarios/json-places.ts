/** Where a member stands: its key, and its value. Elements of a list have no key. */
export interface Place {
  readonly key: number | undefined;
  readonly value: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((each) => each.charCodeAt(0));
const OPENING = ['{', '['].map((each) => each.charCodeAt(0));
const CLOSING = ['}', ']'].map((each) => each.charCodeAt(0));

/** Finds where members stand in a text that is known to be JSON. Each object or list is walked once, when it is asked for. */
export class JsonPlaces {
  readonly #text: string;
  /** By the offset of the object or list. */
  readonly #walked = new Map<number, Map<string | number, Place[]>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset of the value that the text is. */
  get root(): number {
    return this.#skipSpace(0);
  }

  /** Of the object or list that begins at an offset: where its members stand, in order; a key that comes again has several places. */
  members(offset: number): ReadonlyMap<string | number, readonly Place[]> {
    const known = this.#walked.get(offset);
    if (known) return known;
    const members = new Map<string | number, Place[]>();
    this.#walked.set(offset, members);
    if (OPENING.includes(this.#text.charCodeAt(offset))) this.#walk(offset, members);
    return members;
  }

  #walk(offset: number, members: Map<string | number, Place[]>): void {
    const isObject = this.#text[offset] === '{';
    let at = this.#skipSpace(offset + 1);
    for (let index = 0; !CLOSING.includes(this.#text.charCodeAt(at)); index += 1) {
      const key = isObject ? at : undefined;
      const end = isObject ? this.#skipText(at) : at;
      const name = isObject ? (JSON.parse(this.#text.slice(at, end)) as string) : index;
      // After a key come its colon and the value.
      const value = isObject ? this.#skipSpace(this.#skipSpace(end) + 1) : at;
      const known = members.get(name);
      if (known) known.push({ key, value });
      else members.set(name, [{ key, value }]);
      at = this.#skipSpace(this.#skipValue(value));
      if (this.#text.charCodeAt(at) === COMMA) at = this.#skipSpace(at + 1);
    }
  }

  /** How many keys the text has, in all its objects. */
  countKeys(): number {
    let count = 0;
    for (let at = 0; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) at = this.#skipText(at) - 1;
      else if (code === COLON) count += 1;
    }
    return count;
  }

  #skipSpace(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) <= 0x20) at += 1;
    return at;
  }

  /** The offset behind a text in quotes. */
  #skipText(from: number): number {
    let at = from + 1;
    for (; this.#text.charCodeAt(at) !== QUOTE; at += 1) if (this.#text.charCodeAt(at) === BACKSLASH) at += 1;
    return at + 1;
  }

  #skipValue(from: number): number {
    let [at, depth] = [from, 0];
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) at = this.#skipText(at) - 1;
      else if (OPENING.includes(code)) depth += 1;
      else if (CLOSING.includes(code) && --depth < 0) break;
      else if (code === COMMA && depth === 0) break;
    }
    return at;
  }
}
