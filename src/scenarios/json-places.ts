/** Where a member of an object stands: its key, and its value. */
export interface Place {
  readonly key: number;
  readonly value: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((each) => each.charCodeAt(0));
const OPENING = ['{', '['].map((each) => each.charCodeAt(0));
const CLOSING = ['}', ']'].map((each) => each.charCodeAt(0));

/** Finds where members stand in a text that is known to be JSON. Each object or list is walked once, when it is asked for. */
export class JsonPlaces {
  readonly #text: string;
  /** By the offset of the list, or of the object. */
  readonly #lists = new Map<number, number[]>();
  readonly #objects = new Map<number, Map<string, Place[]>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset of the value that the text is. */
  get root(): number {
    return this.#skipSpace(0);
  }

  /** Of a list that begins at an offset: where its elements stand; nothing of what is no list. */
  elements(offset: number): readonly number[] {
    const known = this.#lists.get(offset);
    if (known) return known;
    const elements: number[] = [];
    this.#lists.set(offset, elements);
    if (this.#text[offset] !== '[') return elements;
    for (let at = this.#skipSpace(offset + 1); !this.#isClosing(at); at = this.#next(at)) elements.push(at);
    return elements;
  }

  /** Of an object: where its members stand, in order; a key that comes again has several places. */
  members(offset: number): ReadonlyMap<string, readonly Place[]> {
    const known = this.#objects.get(offset);
    if (known) return known;
    const members = new Map<string, Place[]>();
    this.#objects.set(offset, members);
    if (this.#text[offset] !== '{') return members;
    let value = 0;
    for (let key = this.#skipSpace(offset + 1); !this.#isClosing(key); key = this.#next(value)) {
      const end = this.#skipText(key);
      const name = JSON.parse(this.#text.slice(key, end)) as string;
      // After a key come its colon and the value.
      value = this.#skipSpace(this.#skipSpace(end) + 1);
      const before = members.get(name);
      if (before) before.push({ key, value });
      else members.set(name, [{ key, value }]);
    }
    return members;
  }

  #isClosing = (at: number) => CLOSING.includes(this.#text.charCodeAt(at));

  /** What comes after a value and its comma. */
  #next(value: number): number {
    const at = this.#skipSpace(this.#skipValue(value));
    return this.#text.charCodeAt(at) === COMMA ? this.#skipSpace(at + 1) : at;
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
