export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Response headers in lower case; several cookies are a list under `set-cookie`. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** The fields that have a value. An update spreads them over a row, so that every other field stays. */
export const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T> as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/** A text as it is, nothing as the empty text, and anything else as JSON. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The value of a text in JSON; any other text as it is. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value of a text in JSON; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Levels of objects and lists in a file: what walks through a deeper value would exceed the call stack. */
export const DEEPEST = 200;

/**
 * `JSON.parse` for a file that a person or another program has written. Throws SyntaxError, also for a text that is nested too
 * deep: the engine would need seconds and gigabytes for millions of brackets.
 */
export function parseJson(text: string): unknown {
  refuseDeep(text);
  return JSON.parse(text) as unknown;
}

function refuseDeep(text: string): void {
  if (excessIn(text, DEEPEST) !== undefined)
    throw new SyntaxError(`it is nested deeper than ${DEEPEST} levels`);
}

/**
 * Whether a text in JSON has more levels of objects and lists, or an object with more members. The engine needs far longer to
 * read such a text than this needs to find it, because this reads no further than the first excess.
 */
export function excessIn(
  text: string,
  mostLevels: number,
  mostMembers = Infinity,
): 'levels' | 'members' | undefined {
  /** The members so far of each open object. */
  const counts: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if ((character | LOWER) === OPENING) {
      if (counts.push(character === OPENING ? 1 : OF_LIST) > mostLevels) return 'levels';
    } else if ((character | LOWER) === CLOSING) counts.pop();
    else if (character === COMMA && counts.length > 0) {
      if ((counts[counts.length - 1]! += 1) > mostMembers) return 'members';
    }
  }
  return undefined;
}

/** With this bit, `[` and `{` are the same code, and so are `]` and `}`. */
const LOWER = 0x20;
const [QUOTE, COMMA, OPENING, CLOSING] = [0x22, 0x2c, 0x7b, 0x7d];
/** Stands for the members of a list, which may have any number of elements. */
const OF_LIST = -Infinity;

/** The place of the quote that ends the string which begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** JSON merge patch (RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Equal values have equal texts, whatever the order of their members. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`)
    .join()}}`;
}

/** The steps from a value to one of its members. */
type Path = readonly (string | number)[];

/** Escapes of JSON and YAML that may stand for half a surrogate pair. UTF-8 itself cannot encode it. */
const SUSPECT = /\\u[dD][89a-fA-F]|\\U/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

export const NOT_WELL_FORMED =
  'must not hold half of a surrogate pair: send the character itself, or the escapes of both halves';

/**
 * The path of the first text or key with a lone surrogate, which gRPC cannot send. `text`, if given, is the source of
 * `value`; it is searched first because most texts have no such escapes.
 */
export function loneSurrogateIn(value: unknown, text?: string): Path | undefined {
  return text === undefined || SUSPECT.test(text) ? pathOfFirst(value) : undefined;
}

function pathOfFirst(value: unknown): Path | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const inside = key.isWellFormed() ? pathOfFirst(member) : [];
    if (inside) return [Array.isArray(value) ? Number(key) : key, ...inside];
  }
  return undefined;
}

/** Lone surrogates are written as escapes, for messages. */
export const withEscapes = (text: string): string =>
  text.replace(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);

/** At most `length` characters; never cuts a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  const kept = text.slice(0, length);
  return kept.isWellFormed() ? kept : kept.replace(/[\ud800-\udbff]$/, '');
}

const MOST = 10_000_000;

/**
 * What templates may make for one answer, because values that stand in many places, or lists of lists, grow very fast.
 * Throws RangeError before more is made.
 */
export class SizeBudget {
  #left = MOST;

  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0)
      throw new RangeError(`the values that are filled in make more than ${MOST} characters`);
  }

  /** Spends the size of a value that is used as it is. */
  use<T>(value: T): T {
    this.#spendSize(value);
    return value;
  }

  #spendSize(value: unknown): void {
    this.spend(typeof value === 'string' ? 1 + value.length : 1);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) this.spend(name.length);
      this.#spendSize(member);
    }
  }
}
