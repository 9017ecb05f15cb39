import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { Translation, type Translated } from './expression-syntax.ts';
import { NotLinear } from './not-linear.ts';
import { inHalves } from './re2-class.ts';

/** `(?i)` and the like in front, as other engines write what goes behind the slash in ours. */
const FLAGS = /^\(\?([ims]+)\)/;

/** An expression of ECMAScript, matched in time that grows with the text alone. */
export interface Expression {
  /** What one character of a text costs, in steps. */
  readonly size: number;
  /** Whether some part of the text matches. */
  test(text: string): boolean;
}

/** As in a JSON Schema: an expression with the flag u. Throws SyntaxError or NotLinear, at a very long text too. */
export function readPattern(source: string): Expression {
  void new RegExp(source, 'u');
  const { pattern, size } = new Translation(source, 'u').read();
  let compiled: RE2JS | undefined;
  const test = (text: string) => {
    if (text.length * size > MOST_STEPS)
      throw new NotLinear(0, `is tried with a text of ${text.length} characters`);
    return (compiled ??= engine().compile(pattern)).test(text);
  };
  return { size, test };
}

/** Where nobody else counts. */
const MOST_STEPS = 3_000_000;

/** Throws SyntaxError or NotLinear for one that can't be had. */
export function readExpression(written: string): Expression {
  const { pattern, size } = translate(written);
  let compiled: RE2JS | undefined;
  return { size, test: (text) => (compiled ??= engine().compile(pattern)).test(inHalves(text)) };
}

/** What is wrong with a regular expression; undefined when nothing is. */
export function findExpressionFault(written: string): string | undefined {
  try {
    translate(written);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof NotLinear)
      return `${thrown.message}, at character ${thrown.offset + 1}; expressions are matched in linear time, without it`;
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return `is no regular expression: ${thrown.message.replace(/^.*\/[a-z]*: /s, '')}`;
  }
}

function translate(written: string): Translated {
  const [prefix = '', given = ''] = FLAGS.exec(written) ?? [];
  const flags = [...new Set(given)].join('');
  const source = written.slice(prefix.length);
  // Whatever is no expression says so here.
  void new RegExp(source, flags);
  if (flags.includes('m')) throw new NotLinear(0, 'has the flag m, which lets ^ and $ stand inside the text');
  return inFrontOf(prefix.length, () => new Translation(source, flags).read());
}

/** Offsets count from the beginning of what was written. */
function inFrontOf<T>(length: number, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof NotLinear ? new NotLinear(thrown.offset + length, thrown.message) : thrown;
  }
}

let loaded: typeof RE2JS | undefined;

/** Loaded for the first text that is tested: most processes never need it. */
function engine(): typeof RE2JS {
  loaded ??= (
    (typeof require === 'undefined' ? createRequire(import.meta.url)('re2js') : require('re2js')) as {
      RE2JS: typeof RE2JS;
    }
  ).RE2JS;
  return loaded;
}
