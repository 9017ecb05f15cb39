import { RE2JS, RE2JSException } from 're2js';
import { compilingCost } from './expression-cost.ts';

/** A regular expression in the syntax of RE2, which matches in a time that grows only in proportion to the text. */
interface Expression {
  /** What compiling it cost, in microseconds. */
  readonly cost: number;
  /** Steps for each character of a text. */
  readonly size: number;
  /** Whether some part of the text matches. */
  readonly test: (text: string) => boolean;
}

/** The expression cannot be used; the message says why. */
export class ExpressionError extends Error {}

const MOST_STEPS_PER_CHARACTER = 3000;

/** Microseconds. */
const MOST_OF_ONE = 50_000;
const MOST_OF_A_CALL = 500_000;
const COSTLY = 'classes such as \\p{L}, ranges after (?i), and counts cost most';

/** Constructs of other engines, looked for outside of escaped backslashes. */
const LOOK_AROUND = /\(\?<?[=!]/;
const BACK_REFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/;

/** Limits what the expressions of one call cost to compile. Also counts those that are still compiled. */
export class CompilingBudget {
  #left = MOST_OF_A_CALL;

  /** Throws ExpressionError. */
  read(source: string): Expression {
    if (this.#left >= 0) this.#left -= costOf(source);
    if (this.#left >= 0) return readExpression(source);
    throw new ExpressionError(
      `makes the regular expressions of this call too costly to compile: over ${MOST_OF_A_CALL} steps; ${COSTLY}`,
    );
  }
}

/** The latest expressions, and why those that cannot be used cannot. */
const COMPILED = new Map<string, Expression | ExpressionError>();
/** Enough for all expressions of a call, in microseconds. */
const MOST_KEPT = 2 * MOST_OF_A_CALL;
let kept = 0;

/**
 * Also reads what only JavaScript writes differently, such as `\u0041`, `\cA`, `[^]` and `(?<name>…)`. Throws
 * ExpressionError.
 */
export function readExpression(source: string): Expression {
  const known = COMPILED.get(source) ?? compileOrFault(source);
  if (COMPILED.delete(source)) kept -= costOf(source);
  COMPILED.set(source, known);
  kept += costOf(source);
  for (const oldest of COMPILED.keys()) {
    if (kept <= MOST_KEPT) break;
    COMPILED.delete(oldest);
    kept -= costOf(oldest);
  }
  if (known instanceof ExpressionError) throw known;
  return known;
}

/** An estimate in microseconds, at most a little over what one expression may cost. */
export function costOf(source: string): number {
  if (source.length > MOST_OF_ONE) return MOST_OF_ONE + 1;
  return Math.min(compilingCost(RE2JS.translateRegExp(source)).cost, MOST_OF_ONE + 1);
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

function compileOrFault(source: string): Expression | ExpressionError {
  try {
    refuseOtherEngines(source);
    return compile(source);
  } catch (thrown) {
    if (thrown instanceof ExpressionError) return thrown;
    if (!(thrown instanceof RE2JSException)) throw thrown;
    const reason = thrown.message.replace(/^error parsing regexp: /, '');
    return new ExpressionError(`is not a regular expression of RE2: ${reason}`);
  }
}

function compile(source: string): Expression {
  const cost = costOf(source);
  if (cost > MOST_OF_ONE)
    throw new ExpressionError(`is too costly to compile: over ${MOST_OF_ONE} steps; ${COSTLY}`);
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  const size = compiled.programSize();
  if (size > MOST_STEPS_PER_CHARACTER)
    throw new ExpressionError('is too large after its counts are expanded');
  return { cost, size, test: (text) => compiled.test(text) };
}
