import { isObject } from '@understudy/text/json';

/** A template cannot be evaluated; the message names the place. */
export class TemplateError extends Error {}

type Variables = Readonly<Record<string, unknown>>;
/** Evaluates an expression. undefined: nothing. Throws TemplateError for a value that a function cannot take. */
export type Expression = (variables: Variables) => unknown;

const TOKEN =
  /\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(\?\?|\?\.|[|.,()[\]]))/y;
const DEEPEST = 20;
const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['nil', undefined],
]);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Some functions of expr-lang. None makes a value much larger. */
const FUNCTIONS: Readonly<Record<string, { parameters: number; run: (...given: unknown[]) => unknown }>> = {
  upper: { parameters: 1, run: (text) => textOf('upper', text).toUpperCase() },
  lower: { parameters: 1, run: (text) => textOf('lower', text).toLowerCase() },
  trim: { parameters: 1, run: (text) => textOf('trim', text).trim() },
  split: { parameters: 2, run: (text, by) => textOf('split', text).split(textOf('split', by)) },
  len: { parameters: 1, run: (value) => lengthOf(value) },
  first: { parameters: 1, run: (list) => listOf('first', list).at(0) },
  last: { parameters: 1, run: (list) => listOf('last', list).at(-1) },
};

/** What this file evaluates, for messages. */
export const EVALUATED = `paths, texts in quotation marks, numbers, true, false, nil, ??, | and the functions ${Object.keys(FUNCTIONS).join(', ')}`;

/**
 * Reads an expression of expr-lang, whose paths begin with one of the roots (Scalekit docs, Customize JWT template). Throws
 * TemplateError for one that is malformed or has another part of the language.
 */
export function parseExpression(text: string, roots: readonly string[]): Expression {
  const parser = new Parser(text, roots);
  const expression = parser.expression(0);
  if (!parser.isAtEnd) throw new TemplateError('unexpected text');
  return expression;
}

class Parser {
  #at = 0;
  readonly #text: string;
  readonly #roots: readonly string[];

  constructor(text: string, roots: readonly string[]) {
    this.#text = text.trimEnd();
    this.#roots = roots;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Operands with `??` between them, then functions after `|`. */
  expression(depth: number): Expression {
    if (depth > DEEPEST) throw new TemplateError('too deep');
    let value = this.#operand(depth);
    while (this.#take('??')) {
      const [left, right] = [value, this.#operand(depth)];
      value = (variables) => left(variables) ?? right(variables);
    }
    while (this.#take('|')) value = this.#call(this.#next()[1], depth, [value]);
    return value;
  }

  #operand(depth: number): Expression {
    let value = this.#primary(depth);
    for (;;) {
      if (this.#take('.') || this.#take('?.')) value = memberOf(value, constant(this.#name()));
      else if (this.#take('[')) {
        value = memberOf(value, this.expression(depth + 1));
        this.#expect(']');
      } else return value;
    }
  }

  #primary(depth: number): Expression {
    const [, name, number, quoted, sign] = this.#next();
    if (number !== undefined) return constant(Number(number));
    if (quoted !== undefined) return constant(unquoted(quoted));
    if (sign === '(') {
      const value = this.expression(depth + 1);
      this.#expect(')');
      return value;
    }
    if (name === undefined) throw new TemplateError('unexpected text');
    if (LITERALS.has(name)) return constant(LITERALS.get(name));
    if (this.#roots.includes(name)) return (variables) => variables[name];
    return this.#call(name, depth, []);
  }

  #call(name: string | undefined, depth: number, first: readonly Expression[]): Expression {
    const known = name !== undefined && Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!known) throw new TemplateError('unknown name');
    this.#expect('(');
    const given = [...first];
    if (!this.#take(')')) {
      do given.push(this.expression(depth + 1));
      while (this.#take(','));
      this.#expect(')');
    }
    if (given.length !== known.parameters) throw new TemplateError('wrong number of arguments');
    return (variables) => known.run(...given.map((each) => each(variables)));
  }

  #next(): RegExpExecArray {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (!found) throw new TemplateError('unexpected text');
    this.#at = TOKEN.lastIndex;
    return found;
  }

  #name(): string {
    const [, name] = this.#next();
    if (name === undefined) throw new TemplateError('a name is missing');
    return name;
  }

  #take(sign: string): boolean {
    if (this.isAtEnd) return false;
    const before = this.#at;
    if (this.#next()[4] === sign) return true;
    this.#at = before;
    return false;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new TemplateError(`"${sign}" is missing`);
  }
}

const constant =
  (value: unknown): Expression =>
  () =>
    value;

/** A member of an object or a list. Inherited members do not count. A list counts from its end below zero. */
const memberOf =
  (owner: Expression, key: Expression): Expression =>
  (variables) => {
    const value = owner(variables);
    const wanted = key(variables);
    if (Array.isArray(value)) return typeof wanted === 'number' ? value.at(wanted) : undefined;
    if (!isObject(value) || typeof wanted !== 'string') return undefined;
    return Object.hasOwn(value, wanted) ? (value[wanted] ?? undefined) : undefined;
  };

function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith('`')
    ? inner
    : inner.replaceAll(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TemplateError(`${name} takes a text, not ${kindOf(value)}`);
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TemplateError(`${name} takes a list, not ${kindOf(value)}`);
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new TemplateError(`len takes a text, a list or an object, not ${kindOf(value)}`);
}

const kindOf = (value: unknown) => (value === undefined ? 'nothing' : `a ${typeof value}`);
