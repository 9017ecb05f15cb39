import { isObject, plainText, SizeBudget } from '@understudy/text/json';
import { EVALUATED, parseExpression, TemplateError, type Expression } from './template-expression.ts';

/** A piece of a template: text that is copied as it is, or an expression that is evaluated. */
type Part = string | Expression;

/** The parts of a text, in which expressions stand between `{{` and `}}`. */
function partsOf(text: string, roots: readonly string[], where: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', from)) {
    const end = text.indexOf('}}', start);
    if (end < 0) throw new TemplateError(`${where}: the expression has no }} at its end`);
    if (start > from) parts.push(text.slice(from, start));
    parts.push(expressionOf(text.slice(start + 2, end), roots, where));
    from = end + 2;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function expressionOf(text: string, roots: readonly string[], where: string): Expression {
  try {
    return parseExpression(text, roots);
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    const shown = Array.from(text).slice(0, 100).join('');
    throw new TemplateError(
      `${where}: {{${shown}}} is not evaluated (${thrown.message}). The service takes expressions of expr-lang. Of these, Understudy evaluates ${EVALUATED}. A path begins with ${roots.join(', ')}`,
    );
  }
}

/** Throws TemplateError for the first expression of another form. */
export function checkTemplate(value: unknown, roots: readonly string[], where: string): void {
  if (typeof value === 'string') partsOf(value, roots, where);
  else if (Array.isArray(value))
    value.forEach((each, index) => checkTemplate(each, roots, `${where}[${index}]`));
  else if (isObject(value))
    for (const [name, each] of Object.entries(value)) checkTemplate(each, roots, `${where}.${name}`);
}

type Variables = Readonly<Record<string, unknown>>;

/** The value with all expressions filled in; undefined: nothing. Throws RangeError for an enormous one. */
export function evaluate(value: unknown, variables: Variables, budget: SizeBudget): unknown {
  if (typeof value === 'string') return evaluateText(value, variables, budget);
  if (Array.isArray(value))
    return value.map((each) => evaluate(each, variables, budget)).filter((each) => each !== undefined);
  if (!isObject(value)) return value ?? undefined;
  const members = Object.entries(value).map(([name, each]) => [name, evaluate(each, variables, budget)]);
  return Object.fromEntries(members.filter(([, each]) => each !== undefined));
}

/**
 * Unverified (interceptors/empty-part-of-text): a text with more than one expression has nothing in the place of one
 * that is nothing.
 */
function evaluateText(text: string, variables: Variables, budget: SizeBudget): unknown {
  const values = partsOf(text, Object.keys(variables), 'template').map((part) =>
    budget.use(typeof part === 'string' ? part : part(variables)),
  );
  if (values.length === 1) return values[0];
  return values.map(plainText).join('');
}
