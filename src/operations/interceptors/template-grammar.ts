import { isObject, plainText, SizeBudget } from '../../text/json.ts';

/** A template cannot be evaluated; the message names the place. */
export class TemplateError extends Error {}

/** Part of a text: as it is, or the value at a path. */
type Part = string | Expression;

interface Expression {
  path: readonly string[];
  fallback?: string;
}

const EXPRESSION = /^\s*([A-Za-z_]\w*(?:\.[\w-]+)*)\s*(?:\?\?\s*("[^"]*")\s*)?$/;

/**
 * The parts of a text. Unverified (interceptors/template-expressions): the service documents the form `{{path ??
 * "default"}}` alone, and not its grammar. So every other expression is refused.
 */
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
  const [, path = '', quoted] = EXPRESSION.exec(text) ?? [];
  const steps = path.split('.');
  if (!roots.includes(steps[0]!)) {
    const shown = Array.from(text).slice(0, 100).join('');
    throw new TemplateError(
      `${where}: {{${shown}}} is not evaluated; write {{path}} or {{path ?? "default"}}, with a path that begins with ${roots.join(', ')}`,
    );
  }
  return { path: steps, ...(quoted !== undefined && { fallback: quoted.slice(1, -1) }) };
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
    budget.use(typeof part === 'string' ? part : valueOf(part, variables)),
  );
  if (values.length === 1) return values[0];
  return values.map(plainText).join('');
}

function valueOf({ path, fallback }: Expression, variables: Variables): unknown {
  let value: unknown = variables;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value ?? fallback;
}
