import { RE2JS, RE2JSException } from 're2js';

/** A regular expression in the syntax of RE2, which matches in a time that grows only in proportion to the text. */
interface Expression {
  /** Steps for each character of a text. */
  readonly size: number;
  /** Whether some part of the text matches. */
  readonly test: (text: string) => boolean;
}

/** The expression cannot be used; the message says why. */
export class ExpressionError extends Error {}

const MOST_STEPS_PER_CHARACTER = 3000;
/** The limit of one test for callers without a budget. */
const MOST_STEPS = 3_000_000;

/** Constructs of other engines, looked for outside of escaped backslashes. */
const LOOK_AROUND = /\(\?<?[=!]/;
const BACK_REFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/;

/**
 * Also reads what only JavaScript writes differently, such as `\u0041`, `\cA`, `[^]` and `(?<name>…)`. Throws
 * ExpressionError.
 */
export function readExpression(source: string): Expression {
  refuseOtherEngines(source);
  const compiled = compile(source);
  const size = compiled.programSize();
  if (size > MOST_STEPS_PER_CHARACTER)
    throw new ExpressionError('is too large after its counts are expanded');
  return { size, test: (text) => compiled.test(text) };
}

/** A `pattern` of a JSON Schema. Throws ExpressionError; `test` throws it for very long texts. */
export function readPattern(source: string): Expression {
  const { size, test } = readExpression(source);
  return {
    size,
    test(text) {
      if (text.length * size > MOST_STEPS)
        throw new ExpressionError(`is tried with a text of ${text.length} characters`);
      return test(text);
    },
  };
}

function refuseOtherEngines(source: string): void {
  const text = source.replaceAll('\\\\', '');
  const [looking] = LOOK_AROUND.exec(text) ?? [];
  if (looking !== undefined)
    throw new ExpressionError(`has a look-ahead or look-behind: ${looking}; the syntax of RE2 has none`);
  const [reference] = BACK_REFERENCE.exec(text) ?? [];
  if (reference !== undefined)
    throw new ExpressionError(`has a back reference: ${reference}; the syntax of RE2 has none`);
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    const reason = thrown.message.replace(/^error parsing regexp: /, '');
    throw new ExpressionError(`is not a regular expression of RE2: ${reason}`);
  }
}
