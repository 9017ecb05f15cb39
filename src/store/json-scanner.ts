export type Path = readonly (string | number)[];

const SPACE = /[ \t\r\n]*/y;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [/\{/y, /\}/y, /\[/y, /\]/y];
const [COMMA, COLON] = [/,/y, /:/y];

/** Offset of the first thing that JSON does not allow; undefined: there is none. V8's messages do not always say. */
export function findDamage(text: string): number | undefined {
  return new JsonScanner(text).damage;
}

/** Offset of the value at the path, or of the deepest value on the way to it. */
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
