import type { Operation } from '../contract/compiled.ts';
import type { Caller } from '../state/env.ts';
import { failedPrecondition } from '../errors.ts';
import { type AnswerHeaders, isObject, plainText } from '../text/json.ts';
import { SizeBudget } from '../text/size-budget.ts';
import { memberOf } from './operators.ts';
import { formatPath, valueAt, type Path } from './path.ts';

/** What a rule's condition can read of a call. */
export interface CallFacts {
  operation: Operation;
  protocol: string;
  method: string;
  path: string;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
  caller: Caller | undefined;
  /** The address of the service at which the call came; absent for webhooks and interceptors. */
  baseUrl?: string | undefined;
  /** For webhooks and interceptors: the address that is called. */
  to?: string | undefined;
}

/** For webhooks and interceptors. `to`: the address that is called. */
export const factsOfMessage = (
  operation: Operation,
  { body, to }: { body: unknown; to: string },
): CallFacts => ({
  operation,
  body,
  to,
  protocol: 'http/1.1',
  method: operation.method,
  path: operation.path,
  params: {},
  query: {},
  headers: {},
  caller: undefined,
});

export interface RuleReply {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
  /** The scenario allows this answer to break the contract. */
  outsideContract?: boolean;
}

/** Nothing is sent. Like in fetch, status 0 means no answer. */
export const NO_ANSWER: RuleReply = { status: 0, headers: {}, body: undefined, outsideContract: true };

/** `rule`: the index of the rule in the scenario. */
export interface RuleLabel {
  readonly name: string;
  readonly rule: number;
}

/** The first part of a placeholder with dots: parts of the call, or `row` in an edit with `for`. */
export const CALL_PARTS = ['path', 'query', 'body', 'headers', 'caller', 'service'] as const;
export type CallPart = (typeof CALL_PARTS)[number];

/** For example `${body.user.id}`: the part `body` and the steps `user` and `id`. */
export interface ValueName {
  part: CallPart | 'row';
  steps: readonly string[];
}

/** Where the values come from when a rule is applied or an edit is made. */
export interface CallValues {
  call?: CallFacts | undefined;
  row?: object | undefined;
  /** Without it, the values have a budget of their own. */
  budget?: SizeBudget | undefined;
}

/** An escaped placeholder, or a named one. */
const PLACEHOLDER = /\$\$\{|\$\{([^{}]*)\}/g;
const WHOLE = /^\$\{([^{}]*)\}$/;

/** Undefined for a parameter's name. */
export function readValueName(name: string): ValueName | undefined {
  if (!name.includes('.')) return undefined;
  const [part = '', ...steps] = name.trim().split('.');
  const known = [...CALL_PARTS, 'row' as const].find((each) => each === part);
  if (!known || steps.length === 0 || steps.includes('')) return undefined;
  // A header's name may contain dots.
  return { part: known, steps: known === 'headers' ? [steps.join('.').toLowerCase()] : steps };
}

export const valueNamesIn = (text: string): ValueName[] =>
  Array.from(text.matchAll(PLACEHOLDER), ([, name]) =>
    name === undefined ? undefined : readValueName(name),
  ).filter((name) => name !== undefined);

export const formatValueName = ({ part, steps }: ValueName) => [part, ...steps].join('.');

/**
 * Fills the texts at these paths. Throws `failed_precondition` if that makes more than the budget allows. A text that is one placeholder becomes the value itself, and its member is left out
 * if there is no value. Inside a text, a missing value is empty.
 */
export function withValues<T>(value: T, templates: readonly Path[], values: CallValues): T {
  const bounded = { ...values, budget: values.budget ?? new SizeBudget() };
  return templates.reduce<unknown>((filled, path) => fillWithin(filled, path, bounded), value) as T;
}

type BoundedValues = CallValues & { budget: SizeBudget };

function fillWithin(value: unknown, path: Path, values: BoundedValues): unknown {
  try {
    return fillAt(value, path, values);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw failedPrecondition(`${formatPath(path)}: ${thrown.message}`);
  }
}

/** The name of the first value that is missing. */
export function missingValue(
  value: unknown,
  templates: readonly Path[],
  values: CallValues,
): string | undefined {
  const names = templates.flatMap((path) => valueNamesIn(String(valueAt(path, value))));
  const missing = names.find((name) => lookUp(name, values) === undefined);
  return missing && formatValueName(missing);
}

function fillAt(value: unknown, [step, ...rest]: Path, values: BoundedValues): unknown {
  if (step === undefined) return fillText(String(value), values);
  if (Array.isArray(value)) {
    return value.map((each, index) => (index === step ? (fillAt(each, rest, values) ?? null) : each));
  }
  const { [step]: inner, ...others } = value as Record<string, unknown>;
  const filled = fillAt(inner, rest, values);
  return filled === undefined ? others : { ...(value as object), [step]: filled };
}

function fillText(text: string, values: BoundedValues): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return values.budget.use(lookUp(readValueName(whole)!, values));
  return text.replace(PLACEHOLDER, (_, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = lookUp(readValueName(name)!, values) ?? '';
    return plainText(values.budget.use(value));
  });
}

function lookUp({ part, steps }: ValueName, { call, row }: CallValues): unknown {
  const from = part === 'row' ? row : call && partOf(call, part);
  return steps.reduce<unknown>(stepInto, from) ?? undefined;
}

function partOf(call: CallFacts, part: CallPart): unknown {
  if (part === 'path') return call.params;
  if (part === 'headers') return lowerCased(call.headers);
  if (part === 'service') return { url: call.baseUrl };
  return call[part];
}

/** Header names are case-insensitive. */
const lowerCased = (headers: CallFacts['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? memberOf(value, step) : undefined;
}
