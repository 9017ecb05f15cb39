import { quoted, refusal } from './refusal.ts';

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** A filter (RFC 7644 3.4.2.2). Names of attributes are as the caller wrote them. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** `emails[type eq "work"]`: one value of the attribute fits the whole part. */
  | { readonly kind: 'some'; readonly path: string; readonly part: Filter }
  | { readonly kind: 'present'; readonly path: string }
  | {
      readonly kind: 'compare';
      readonly path: string;
      readonly comparison: Comparison;
      readonly value: string | number | boolean | null;
    };

const LONGEST = 4000;
const DEEPEST = 20;
/** Comparisons in one filter. Each is made for every resource. */
const MOST_COMPARISONS = 100;

/** How many values a filter compares for one resource or value. */
export function comparisonsIn(filter: Filter): number {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.parts.reduce((sum, part) => sum + comparisonsIn(part), 0);
  return filter.kind === 'not' || filter.kind === 'some' ? comparisonsIn(filter.part) : 1;
}

/**
 * Throws `invalidFilter`. `takeBareText` is called with each text that has no quotation marks. Without it, they are refused.
 */
export function parseFilter(text: string, takeBareText?: (word: string) => void): Filter {
  if (text.length > LONGEST)
    throw refusal('invalidFilter', `the filter has ${text.length} characters; at most ${LONGEST} are read`);
  return new FilterParser(text, takeBareText).read();
}

interface Token {
  /** A word, a text in quotation marks, or one of the characters ( ) [ ]. */
  kind: 'word' | 'text' | 'mark';
  written: string;
  at: number;
}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;

const COMPARISONS: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);

class FilterParser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #comparisons = 0;
  readonly #takeBareText: ((word: string) => void) | undefined;

  constructor(text: string, takeBareText?: (word: string) => void) {
    this.#text = text;
    this.#takeBareText = takeBareText;
    this.#tokens = this.#split();
  }

  read(): Filter {
    const filter = this.#either();
    if (this.#next < this.#tokens.length) throw this.#unexpected('and, or, or the end');
    return filter;
  }

  #split(): Token[] {
    const text = this.#text.trimEnd();
    const tokens: Token[] = [];
    const pattern = new RegExp(TOKEN);
    while (pattern.lastIndex < text.length) {
      const at = pattern.lastIndex;
      const found = pattern.exec(text);
      if (!found) throw this.#refusal(`a quotation mark without its end at position ${at + 1}`);
      const [, quote, mark, word] = found;
      const kind = quote === undefined ? (mark === undefined ? 'word' : 'mark') : 'text';
      tokens.push({ kind, written: (quote ?? mark ?? word)!, at });
    }
    return tokens;
  }

  #either(): Filter {
    const parts = [this.#all()];
    while (this.#takeWord('or')) parts.push(this.#all());
    return parts.length === 1 ? parts[0]! : { kind: 'or', parts };
  }

  #all(): Filter {
    const parts = [this.#one()];
    while (this.#takeWord('and')) parts.push(this.#one());
    return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
  }

  #one(): Filter {
    if (this.#takeMark('(')) return this.#inner(')');
    const path = this.#take('word', 'the name of an attribute');
    if (path.toLowerCase() === 'not' && this.#takeMark('(')) return { kind: 'not', part: this.#inner(')') };
    if (!/^[A-Za-z$]/.test(path)) throw this.#refusal(`${quoted(path)} is no name of an attribute`);
    if (!this.#takeMark('[')) return this.#comparison(path);
    const part = this.#inner(']');
    const sub = this.#peek();
    if (sub?.kind !== 'word' || !sub.written.startsWith('.')) return { kind: 'some', path, part };
    this.#next += 1;
    return {
      kind: 'some',
      path,
      part: { kind: 'and', parts: [part, this.#comparison(sub.written.slice(1))] },
    };
  }

  #inner(end: ')' | ']'): Filter {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw this.#refusal(`more than ${DEEPEST} brackets inside each other`);
    const filter = this.#either();
    if (!this.#takeMark(end)) throw this.#unexpected(end);
    this.#depth -= 1;
    return filter;
  }

  #comparison(path: string): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > MOST_COMPARISONS)
      throw this.#refusal(`more than ${MOST_COMPARISONS} comparisons`);
    const wanted = 'eq, ne, co, sw, ew, gt, ge, lt, le or pr';
    const comparison = this.#take('word', wanted).toLowerCase();
    if (comparison === 'pr') return { kind: 'present', path };
    if (!COMPARISONS.has(comparison)) throw this.#refusal(`${quoted(comparison)} is none of ${wanted}`);
    return { kind: 'compare', path, comparison: comparison as Comparison, value: this.#value() };
  }

  #value(): string | number | boolean | null {
    const token = this.#peek();
    if (!token || token.kind === 'mark') throw this.#unexpected('a value');
    this.#next += 1;
    const written = token.kind === 'text' ? token.written : token.written.toLowerCase();
    try {
      const value = JSON.parse(written) as string | number | boolean | null;
      // A long id loses digits as a number.
      if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
      return token.written;
    } catch {
      if (token.kind === 'word' && this.#takeBareText) {
        this.#takeBareText(token.written);
        return token.written;
      }
      throw this.#refusal(`${quoted(token.written)} is no value; write texts in quotation marks`);
    }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #take(kind: Token['kind'], wanted: string): string {
    const token = this.#peek();
    if (token?.kind !== kind) throw this.#unexpected(wanted);
    this.#next += 1;
    return token.written;
  }

  #takeWord(word: string): boolean {
    const token = this.#peek();
    const isThere = token?.kind === 'word' && token.written.toLowerCase() === word;
    if (isThere) this.#next += 1;
    return isThere;
  }

  #takeMark(mark: string): boolean {
    const token = this.#peek();
    const isThere = token?.kind === 'mark' && token.written === mark;
    if (isThere) this.#next += 1;
    return isThere;
  }

  #unexpected(wanted: string) {
    const token = this.#peek();
    const found = token ? `${quoted(token.written)} at position ${token.at + 1}` : 'the end';
    return this.#refusal(`${wanted} expected instead of ${found}`);
  }

  #refusal(problem: string) {
    return refusal('invalidFilter', `filter ${quoted(this.#text)}: ${problem}`);
  }
}
