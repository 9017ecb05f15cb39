import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { Translation, type Translated } from './expression-syntax.ts';
import { NotLinear, inHalves } from './re2-class.ts';

/** Leading flags such as `(?i)`, as other engines write them. */
const FLAGS = /^\(\?([ims]+)\)/;

/** An ECMAScript expression, matched in linear time. */
export interface Expression {
  /** Steps for each character of a text. */
  readonly size: number;
  /** Whether some part of the text matches. */
  test(text: string): boolean;
}

/**
 * A JSON Schema pattern, with the flag u. Throws SyntaxError or NotLinear; `test` throws NotLinear for very long
 * texts.
 */
export function readPattern(source: string): Expression {
  void new RegExp(source, 'u');
  const { pattern, size } = new Translation(source, 'u').read();
  let compiled: RE2JS | undefined;
  const test = (text: string) => {
    if (text.length * size > MAX_STEPS)
      throw new NotLinear(0, `is tried with a text of ${text.length} characters`);
    return (compiled ??= engine().compile(pattern)).test(text);
  };
  return { size, test };
}

/** The limit for callers without a budget. */
const MAX_STEPS = 3_000_000;

/** Throws SyntaxError or NotLinear. */
export function readExpression(written: string): Expression {
  const { pattern, size } = translate(written);
  let compiled: RE2JS | undefined;
  return { size, test: (text) => (compiled ??= engine().compile(pattern)).test(inHalves(text)) };
}

/** Undefined if the expression is valid. */
export function findExpressionFault(written: string): string | undefined {
  try {
    translate(written);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof NotLinear)
      return `${thrown.message}, at character ${thrown.offset + 1}; expressions are matched in linear time, without it`;
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return `is not a regular expression: ${thrown.message.replace(/^.*\/[a-z]*: /s, '')}`;
  }
}

function translate(written: string): Translated {
  const [prefix = '', given = ''] = FLAGS.exec(written) ?? [];
  const flags = [...new Set(given)].join('');
  const source = written.slice(prefix.length);
  // Throws SyntaxError for invalid expressions.
  void new RegExp(source, flags);
  if (flags.includes('m')) throw new NotLinear(0, 'has the flag m, which lets ^ and $ stand inside the text');
  return inFrontOf(prefix.length, () => new Translation(source, flags).read());
}

/** Makes offsets count from the start of the written text. */
function inFrontOf<T>(length: number, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof NotLinear ? new NotLinear(thrown.offset + length, thrown.message) : thrown;
  }
}

let loaded: typeof RE2JS | undefined;

/** Loaded at the first test, because most processes never need the engine. */
function engine(): typeof RE2JS {
  loaded ??= (
    (typeof require === 'undefined' ? createRequire(import.meta.url)('re2js') : require('re2js')) as {
      RE2JS: typeof RE2JS;
    }
  ).RE2JS;
  return loaded;
}
