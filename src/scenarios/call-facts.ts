import type { Operation } from '../contract/compiled.ts';
import type { Caller } from '../state/env.ts';
import { failedPrecondition } from '../contract/errors.ts';
import { type AnswerHeaders, isObject, plainText, SizeBudget } from '@understudy/text/json';
import { memberOf } from './condition.ts';
import { formatPath, valueAt, type Path } from './path.ts';

/** What a rule's condition can read of a call. */
export interface CallFacts {
  operation: Operation;
  protocol: string;
  method: string;
  path: string;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  /** With names in lower case. */
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
type CallPart = (typeof CALL_PARTS)[number];

/** For example `${body.user.id}`: the part `body` and the steps `user` and `id`. */
export interface ValueName {
  part: CallPart | 'row';
  steps: readonly string[];
}

/** Where the values come from when a rule is applied or an edit is made. */
interface CallValues {
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
 * Fills the texts at these paths. Throws `failed_precondition` if that makes more than the budget allows. A text that
 * is one placeholder becomes the value itself, and its member is left out if there is no value. Inside a text, a
 * missing value is empty.
 */
export function withValues<T>(value: T, templates: readonly Path[], values: CallValues): T {
  if (templates.length === 0) return value;
  const bounded = { ...values, budget: values.budget ?? new SizeBudget() };
  return fillBelow(value, { depth: 0, templates, values: bounded }) as T;
}

type BoundedValues = CallValues & { budget: SizeBudget };

interface Filling {
  /** All templates are alike up to here. */
  depth: number;
  templates: readonly Path[];
  values: BoundedValues;
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

/** Copies each object and list once, however many templates it has. */
function fillBelow(value: unknown, { depth, templates, values }: Filling): unknown {
  const [first = []] = templates;
  if (first.length === depth) return fillWithin(value, first, values);
  const filled = [...byStep(templates, depth)].map(([step, paths]): [string | number, unknown] => {
    const inner = (value as Record<string | number, unknown>)[step];
    return [step, fillBelow(inner, { depth: depth + 1, templates: paths, values })];
  });
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as unknown[])];
    for (const [step, each] of filled) copy[Number(step)] = each ?? null;
    return copy;
  }
  const members = new Map<string | number, unknown>(Object.entries(value as object));
  for (const [step, each] of filled) {
    if (each === undefined) members.delete(step);
    else members.set(step, each);
  }
  return Object.fromEntries(members);
}

function byStep(templates: readonly Path[], depth: number): ReadonlyMap<string | number, readonly Path[]> {
  const grouped = new Map<string | number, Path[]>();
  for (const path of templates) {
    const group = grouped.get(path[depth]!);
    if (group) group.push(path);
    else grouped.set(path[depth]!, [path]);
  }
  return grouped;
}

function fillWithin(value: unknown, path: Path, values: BoundedValues): unknown {
  try {
    return fillText(String(value), values);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw failedPrecondition(`${formatPath(path)}: ${thrown.message}`);
  }
}

function fillText(text: string, values: BoundedValues): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return useValue(whole, values);
  return text.replace(PLACEHOLDER, (_, name: string | undefined) => {
    if (name === undefined) return '${';
    return plainText(useValue(name, values));
  });
}

/** Looking a value up takes time, too. */
const LOOK_UP_COST = 200;

function useValue(name: string, { budget, ...values }: BoundedValues): unknown {
  budget.spend(LOOK_UP_COST + name.length);
  return budget.use(lookUp(readValueName(name)!, values));
}

function lookUp({ part, steps }: ValueName, { call, row }: CallValues): unknown {
  const from = part === 'row' ? row : call && partOf(call, part);
  return steps.reduce<unknown>(stepInto, from) ?? undefined;
}

function partOf(call: CallFacts, part: CallPart): unknown {
  if (part === 'path') return call.params;
  if (part === 'service') return { url: call.baseUrl };
  return call[part];
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? memberOf(value, step) : undefined;
}
