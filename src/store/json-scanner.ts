import { isUtf8 } from 'node:buffer';
import { StoreError, type Flaw, type Path } from './change-log.ts';

const SPACE = /[ \t\r\n]*/y;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [/\{/y, /\}/y, /\[/y, /\]/y];
const [COMMA, COLON] = [/,/y, /:/y];

/** The offset of the first invalid character; undefined: the JSON is valid. V8's messages do not always say. */
export function findDamage(text: string): number | undefined {
  return new JsonScanner(text).damage;
}

/** The offset of the value at the path, or of the deepest value above it. */
export function findValue(text: string, path: Path): number {
  return new JsonScanner(text, path).found;
}

class JsonScanner {
  found = 0;
  readonly damage: number | undefined;
  readonly #text: string;
  #offset = 0;

  constructor(text: string, path: Path = []) {
    this.#text = text;
    const isSound = this.#value(path);
    this.#match(SPACE);
    this.damage = isSound && this.#offset === text.length ? undefined : this.#offset;
  }

  #value(rest: Path | undefined): boolean {
    this.#match(SPACE);
    if (rest) this.found = this.#offset;
    if (this.#token(OPEN_OBJECT)) return this.#list(CLOSE_OBJECT, () => this.#member(rest));
    if (this.#token(OPEN_ARRAY)) return this.#list(CLOSE_ARRAY, (index) => this.#value(step(rest, index)));
    return (this.#token(STRING) ?? this.#token(SCALAR)) !== undefined;
  }

  #list(close: RegExp, item: (index: number) => boolean): boolean {
    if (this.#token(close)) return true;
    for (let index = 0; item(index); index++) {
      if (this.#token(close)) return true;
      if (!this.#token(COMMA)) return false;
    }
    return false;
  }

  #member(rest: Path | undefined): boolean {
    const key = this.#token(STRING);
    if (!key || !this.#token(COLON)) return false;
    return this.#value(step(rest, String(JSON.parse(key))));
  }

  #token(pattern: RegExp): string | undefined {
    this.#match(SPACE);
    return this.#match(pattern);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.#text)?.[0];
    this.#offset += text?.length ?? 0;
    return text;
  }
}

function step(rest: Path | undefined, key: string | number): Path | undefined {
  return rest && rest[0] === key ? rest.slice(1) : undefined;
}

/** JSON text from disk: a whole file, or one line. */
export interface JsonSource {
  path: string;
  line: number;
  bytes: Buffer;
}

/** Parses and freezes the value; the error says where in the file a flaw is. */
export function parseJson(source: JsonSource, flawIn: (value: unknown) => Flaw | undefined): unknown {
  const text = source.bytes.toString('utf8');
  if (!isUtf8(source.bytes)) throw damaged(source, text, text.indexOf('\uFFFD'), 'not UTF-8 text');
  const value = parse(source, text);
  const flaw = flawIn(value);
  if (flaw) throw damaged(source, text, findValue(text, flaw.path), flaw.problem);
  return freeze(value);
}

function parse(source: JsonSource, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const offset = findDamage(text) ?? 0;
    const found = offset < text.length ? `unexpected ${JSON.stringify(text[offset])}` : 'it ends too early';
    throw damaged(source, text, offset, `not valid JSON, ${found}`, cause);
  }
}

function damaged(
  source: JsonSource,
  text: string,
  offset: number,
  problem: string,
  cause?: unknown,
): StoreError {
  const before = text.slice(0, offset).split('\n');
  const line = source.line + before.length - 1;
  const column = (before.at(-1) ?? '').length + 1;
  return new StoreError(`${source.path}:${line}:${column}: ${problem}; the file was left as it is`, {
    cause,
  });
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
