import {
  BEYOND,
  CLASSES,
  complement,
  EVERYTHING,
  inAnyCase,
  INSIDE_LINES,
  LAST_CHARACTER,
  LAST_UNIT,
  one,
  union,
  type Characters,
} from './characters.ts';
import { lookAroundAt, NotLinear, classOf } from './re2-class.ts';

export interface Translated {
  /** For RE2. Each character stands for one code unit of JavaScript. */
  readonly pattern: string;
  /** Approximate number of states. */
  readonly size: number;
  /** The product of nested counts, which RE2 limits. */
  readonly repeats: number;
}

const MOST_REPEATED = 1000;
const LARGEST = 3000;

/** `{2}`, `{2,}`, `{2,5}`, `*`, `+` or `?`, lazy or not. */
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const GROUP = /\(\?(?::|<(?![=!])[^>]*>)|\((?!\?)/y;

/**
 * Translates an ECMAScript expression to RE2, with the same meaning for tests. The expression must be valid: `new
 * RegExp(source, flags)` accepts it (without the flag u, with Annex B). Throws NotLinear.
 */
export class Translation {
  readonly #source: string;
  readonly #flags: string;
  /** Number of groups and whether they have names, which decides whether some escapes are references. */
  readonly #groups: number;
  readonly #isNamed: boolean;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
    const outside = source.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, '');
    this.#groups = outside.match(/\((?!\?)|\(\?<(?![=!])/g)?.length ?? 0;
    this.#isNamed = /\(\?<(?![=!])/.test(outside);
  }

  read(): Translated {
    const read = this.#alternatives();
    if (read.size > LARGEST) throw new NotLinear(0, 'is too large after its counts are expanded');
    return read;
  }

  #alternatives(): Translated {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      parts.push(this.#sequence());
    }
    return {
      pattern: parts.map(({ pattern }) => pattern).join('|'),
      size: parts.reduce((sum, { size }) => sum + size + 1, 0),
      repeats: Math.max(...parts.map(({ repeats }) => repeats)),
    };
  }

  #sequence(): Translated {
    let [pattern, size, repeats] = ['', 0, 1];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const start = this.#at;
      const atom = this.#repeated(this.#atom(), start);
      pattern += atom.pattern;
      size += atom.size;
      repeats = Math.max(repeats, atom.repeats);
    }
    return { pattern, size, repeats };
  }

  #repeated(atom: Translated, start: number): Translated {
    const [quantifier, least, comma, most] = this.#match(QUANTIFIER) ?? [];
    if (quantifier === undefined) return atom;
    const { pattern, size } = atom;
    if (least === undefined) return { ...atom, pattern: `${pattern}${quantifier[0]}`, size: size + 1 };
    const count = Number(most || least);
    if (count > MOST_REPEATED) throw new NotLinear(start, `has a count over ${MOST_REPEATED}: ${quantifier}`);
    const repeats = atom.repeats * Math.max(count, 1);
    const unfolded = size * (count + 1);
    if (repeats > MOST_REPEATED || unfolded > LARGEST)
      throw new NotLinear(start, `is too large after its counts are expanded: ${quantifier}`);
    const counts = most === '' ? `${least},` : `${least}${comma ?? ''}${most ?? ''}`;
    return { pattern: `(?:${pattern}{${counts}})`, size: unfolded, repeats };
  }

  #atom(): Translated {
    const start = this.#at;
    if (this.#source[start] === '(') return this.#group();
    if (this.#source[start] === '[') return this.#set(this.#readClass());
    if (this.#source[start] === '\\') return this.#escape();
    this.#at += 1;
    const letter = this.#source[start]!;
    if (letter === '^') return mark('\\A');
    if (letter === '$') return mark('\\z');
    if (letter === '.')
      return this.#plain(this.#whole(this.#flags.includes('s') ? EVERYTHING : INSIDE_LINES));
    this.#at = start;
    return this.#set(one(this.#character()));
  }

  #group(): Translated {
    const start = this.#at;
    if (!this.#match(GROUP)) throw new NotLinear(start, lookAroundAt(this.#source.slice(start)));
    const inner = this.#alternatives();
    this.#at += 1;
    return { ...inner, pattern: `(?:${inner.pattern})`, size: inner.size + 1 };
  }

  #escape(): Translated {
    const start = this.#at;
    const letter = this.#source[start + 1]!;
    const reference = this.#match(/\\(?:k<[^>]*>|[1-9]\d*)/y)?.[0];
    if (reference !== undefined && this.#isReference(reference))
      throw new NotLinear(start, `has a back reference: ${reference}`);
    this.#at = start;
    if (letter === 'b' || letter === 'B') {
      this.#at += 2;
      return mark(`\\${letter}`);
    }
    return this.#set(this.#escaped(false));
  }

  #isReference = (written: string) =>
    written[1] === 'k' ? this.#isNamed : Number(written.slice(1)) <= this.#groups;

  #set(characters: Characters): Translated {
    return this.#plain(this.#flags.includes('i') ? inAnyCase(characters) : characters);
  }

  /** With the flag i, a negated class excludes all case variants. */
  #readClass(): Characters {
    this.#at += 1;
    const isNegated = this.#source[this.#at] === '^';
    if (isNegated) this.#at += 1;
    const parts: Characters[] = [];
    while (this.#source[this.#at] !== ']') parts.push(this.#readRange());
    this.#at += 1;
    const all = union(...parts);
    if (!isNegated) return all;
    return complement(
      this.#flags.includes('i') ? inAnyCase(all) : all,
      this.#isWhole ? LAST_CHARACTER : LAST_UNIT,
    );
  }

  #readRange(): Characters {
    const from = this.#member();
    if (this.#source[this.#at] !== '-' || this.#source[this.#at + 1] === ']') return from.set;
    this.#at += 1;
    const to = this.#member();
    // Next to a class such as \w, the - is literal.
    if (!from.isOne || !to.isOne) return union(from.set, one(0x2d), to.set);
    return [[from.set[0]![0], to.set[0]![0]]];
  }

  #member(): { set: Characters; isOne: boolean } {
    const isClass = /^\\[dDwWsS]/.test(this.#source.slice(this.#at, this.#at + 2));
    if (this.#source[this.#at] === '\\') return { set: this.#escaped(true), isOne: !isClass };
    return { set: one(this.#character()), isOne: true };
  }

  #character(): number {
    const code = this.#isWhole ? this.#source.codePointAt(this.#at)! : this.#source.charCodeAt(this.#at);
    this.#at += code > LAST_UNIT ? 2 : 1;
    return code;
  }

  /** Adds code points beyond single code units in Unicode mode. */
  #whole = (set: Characters) => (this.#isWhole ? union(set, BEYOND) : set);

  #plain = (set: Characters) => mark(classOf(set, this.#isWhole));

  get #isWhole(): boolean {
    return this.#flags.includes('u');
  }

  /** With the flag u, a surrogate pair is one character. */
  #wholeEscape(): Characters | undefined {
    const property = this.#match(/\\[pP]\{[^}]*\}/y)?.[0];
    if (property !== undefined)
      throw new NotLinear(this.#at - property.length, `has a property: ${property}`);
    const pair = this.#match(/\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/iy);
    if (pair)
      return one(
        String.fromCharCode(...pair.slice(1).map((half) => Number.parseInt(half, 16))).codePointAt(0)!,
      );
    const code = this.#match(/\\u\{([\da-fA-F]+)\}/y)?.[1];
    return code === undefined ? undefined : one(Number.parseInt(code, 16));
  }

  /** The meaning of an escape; unknown escapes are literal. */
  #escaped(inClass: boolean): Characters {
    const whole = this.#isWhole ? this.#wholeEscape() : undefined;
    if (whole) return whole;
    const control = inClass ? /\\c([A-Za-z0-9_])/y : /\\c([A-Za-z])/y;
    const code = this.#match(/\\x([\da-fA-F]{2})|\\u([\da-fA-F]{4})/y);
    if (code) return one(Number.parseInt(code[1] ?? code[2]!, 16));
    const controlled = this.#match(control);
    if (controlled) return one(controlled[1]!.charCodeAt(0) % 32);
    const octal = this.#match(/\\([0-3][0-7]{0,2}|[4-7][0-7]?)/y);
    if (octal) return one(Number.parseInt(octal[1]!, 8));
    const letter = this.#source[this.#at + 1]!;
    this.#at += letter === 'c' ? 1 : 2;
    if (letter === 'c') return one(0x5c);
    if (inClass && letter === 'b') return one(0x08);
    const named = CLASSES[letter];
    if (named) return 'DWS'.includes(letter) ? this.#whole(named) : named;
    return one(CONTROLS[letter] ?? letter.charCodeAt(0));
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

const CONTROLS: Readonly<Record<string, number | undefined>> = {
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
};

const mark = (pattern: string): Translated => ({ pattern, size: 1, repeats: 1 });
