import type { Path } from './path.ts';

export interface TextFault {
  offset: number;
  message: string;
}

/** Objects, lists and their members; a rule has about ten. */
const MAX_VALUES = 120_000;

/** The value of a text and the position of each member. */
export interface ReadText {
  readonly value: unknown;
  readonly faults: readonly TextFault[];
  /** The offset of the member, or of the last existing one above it. */
  offsetOf(path: Path, part: 'key' | 'value'): number;
}

/** Undefined if the text is not JSON. JSON is YAML, too, but the YAML parser takes a hundred times as long. */
export function readJson(text: string): ReadText | undefined {
  const parsed = parse(text);
  if (!parsed) return undefined;
  const { value } = parsed;
  const places = new JsonOffsets(text);
  const { keys, values } = count(value);
  const isWhole = places.countKeys() === keys;
  const tooMany = { offset: 0, message: `has more than ${MAX_VALUES} values` };
  return {
    value,
    faults: values > MAX_VALUES ? [tooMany] : isWhole ? [] : findDuplicateKey(places),
    offsetOf: (path, part) => offsetOf(path, part, places),
  };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // YAML, or invalid
  }
}

/** `keys` misses duplicate keys, because the value has only one of them. */
function count(value: unknown): { keys: number; values: number } {
  let [keys, values] = [0, 0];
  const rest = [value];
  while (rest.length > 0 && values <= MAX_VALUES) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members = Object.values(next);
    if (!Array.isArray(next)) keys += members.length;
    values += members.length;
    for (const member of members) if (typeof member === 'object') rest.push(member);
  }
  return { keys, values };
}

function findDuplicateKey(places: JsonOffsets): TextFault[] {
  const rest = [places.root];
  while (rest.length > 0) {
    const at = rest.pop()!;
    for (const element of places.elements(at)) rest.push(element);
    for (const [name, [first, again]] of places.members(at)) {
      if (again) return [{ offset: again.key, message: `the key ${name} comes twice` }];
      rest.push(first!.value);
    }
  }
  return [];
}

function offsetOf(path: Path, part: 'key' | 'value', places: JsonOffsets): number {
  let at = places.root;
  for (const [index, step] of path.entries()) {
    const isWanted = part === 'key' && index === path.length - 1;
    const member = typeof step === 'string' ? places.members(at).get(step)?.[0] : undefined;
    const value = member?.value ?? (typeof step === 'number' ? places.elements(at)[step] : undefined);
    if (value === undefined) return at;
    at = isWanted && member ? member.key : value;
  }
  return at;
}

/** Offsets of an object's member. */
export interface MemberOffsets {
  readonly key: number;
  readonly value: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((each) => each.charCodeAt(0));
const OPENING = ['{', '['].map((each) => each.charCodeAt(0));
const CLOSING = ['}', ']'].map((each) => each.charCodeAt(0));

/** Finds member offsets in valid JSON. Each object or list is scanned once, on demand. */
export class JsonOffsets {
  readonly #text: string;
  /** By offset of the list or object. */
  readonly #lists = new Map<number, number[]>();
  readonly #objects = new Map<number, Map<string, MemberOffsets[]>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of the whole value. */
  get root(): number {
    return this.#skipSpace(0);
  }

  /** Offsets of a list's elements; empty if there is no list at the offset. */
  elements(offset: number): readonly number[] {
    const known = this.#lists.get(offset);
    if (known) return known;
    const elements: number[] = [];
    this.#lists.set(offset, elements);
    if (this.#text[offset] !== '[') return elements;
    for (let at = this.#skipSpace(offset + 1); !this.#isClosing(at); at = this.#next(at)) elements.push(at);
    return elements;
  }

  /** Offsets of an object's members, in order; a duplicate key has several. */
  members(offset: number): ReadonlyMap<string, readonly MemberOffsets[]> {
    const known = this.#objects.get(offset);
    if (known) return known;
    const members = new Map<string, MemberOffsets[]>();
    this.#objects.set(offset, members);
    if (this.#text[offset] !== '{') return members;
    let value = 0;
    for (let key = this.#skipSpace(offset + 1); !this.#isClosing(key); key = this.#next(value)) {
      const end = this.#skipText(key);
      const name = JSON.parse(this.#text.slice(key, end)) as string;
      // Skips the colon.
      value = this.#skipSpace(this.#skipSpace(end) + 1);
      const before = members.get(name);
      if (before) before.push({ key, value });
      else members.set(name, [{ key, value }]);
    }
    return members;
  }

  #isClosing = (at: number) => CLOSING.includes(this.#text.charCodeAt(at));

  /** The offset after a value and its comma. */
  #next(value: number): number {
    const at = this.#skipSpace(this.#skipValue(value));
    return this.#text.charCodeAt(at) === COMMA ? this.#skipSpace(at + 1) : at;
  }

  /** The number of keys in the text, duplicates included. */
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

  /** The offset after a quoted text. */
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
