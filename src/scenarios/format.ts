import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { boundErrors, MAX_ERRORS } from '../contract/violations.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { isObject } from '@understudy/text/json';
import { type CompilingBudget, ExpressionError } from '@understudy/text/expression';
import type { Complaints } from './complaints.ts';
import { shortened, oneOf, suggest } from '@understudy/text/suggestion';
import { readPointer } from './path.ts';
import type { Steps } from './steps.ts';

const PLACEHOLDER = '#/$defs/placeholder';
const PATTERN = '^\\$\\{[^{}]*\\}$';
const SCHEMA_FILE = join(PACKAGE_ROOT, 'scenarios', 'scenario.schema.json');

/** Compiled at first use, and shared by all simulators of the process. */
let compiled: ValidateFunction | undefined;

/** Checks a scenario against scenarios/scenario.schema.json. */
export function* checkFormat(
  value: unknown,
  complaints: Complaints,
  budget: CompilingBudget,
): Steps<undefined> {
  const validate = (compiled ??= compile());
  const expressions = yield* expressionFaults(value, budget);
  const errors: ErrorObject[] = [];
  for (const part of partsOf(value)) {
    yield;
    faults = expressions;
    if (!validate(part.value)) errors.push(...errorsIn(validate.errors!, part));
    // The validator stops early, so the check does, too.
    if (errors.length >= MAX_ERRORS) break;
  }
  for (const error of causesOf(errors.filter(isUseful))) {
    yield;
    faults = expressions;
    complain(error, value, complaints);
  }
  if (errors.length >= MAX_ERRORS) complaints.giveUp();
  return undefined;
}

/** A part of a scenario, with the pointer to the list that it continues and the index of its first element there. */
interface Part {
  value: unknown;
  list: string;
  from: number;
}

/** Elements of a list that are checked in one turn. */
const ELEMENTS = 250;

/** The rest of long lists of rules and edits comes in parts, so that other calls are served in between. */
function* partsOf(value: unknown): Generator<Part> {
  const { rules, state: edits } = isObject(value) ? value : {};
  const state = Object.entries(isObject(edits) ? edits : {});
  const first = {
    ...(rules !== undefined && { rules: beginningOf(rules) }),
    ...(isObject(edits) && {
      state: Object.fromEntries(state.map(([name, list]) => [name, beginningOf(list)])),
    }),
  };
  yield { value: isObject(value) ? { ...value, ...first } : value, list: '', from: 0 };
  for (const [from, some] of restOf(rules)) yield { value: { rules: some }, list: '/rules/', from };
  for (const [name, list] of state)
    for (const [from, some] of restOf(list))
      yield { value: { state: { [name]: some } }, list: `/state/${name}/`, from };
}

const beginningOf = (list: unknown): unknown =>
  Array.isArray(list) ? (list as unknown[]).slice(0, ELEMENTS) : list;

function* restOf(list: unknown): Generator<[from: number, some: unknown[]]> {
  if (!Array.isArray(list)) return;
  for (let from = ELEMENTS; from < list.length; from += ELEMENTS)
    yield [from, list.slice(from, from + ELEMENTS)];
}

/** The errors in the list of the part, with their places in the whole scenario. */
const errorsIn = (errors: readonly ErrorObject[], { list, from }: Part): ErrorObject[] =>
  errors
    .filter(({ instancePath }) => instancePath.startsWith(list))
    .map(({ instancePath, ...error }) => {
      const [index = '', ...steps] = instancePath.slice(list.length).split('/');
      const place = from === 0 ? instancePath : `${list}${[Number(index) + from, ...steps].join('/')}`;
      return { ...error, instancePath: place };
    });

function compile(): ValidateFunction {
  const formats = { 'date-time': isTime, regex: isExpression };
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    formats,
    code: { process: boundErrors },
  });
  return ajv.compile(withoutPlaceholders(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))) as object);
}

/** The published schema allows placeholders; the checked value has none left. */
export function withoutPlaceholders(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPlaceholders);
  if (!isObject(schema)) return schema;
  const { anyOf, ...others } = schema;
  const isAllowance =
    Array.isArray(anyOf) && anyOf.some((each) => isObject(each) && each['$ref'] === PLACEHOLDER);
  if (isAllowance) return withoutPlaceholders({ ...others, ...(anyOf[0] as object) });
  const { type, pattern, ...rest } = schema;
  if (Array.isArray(type) && pattern === PATTERN)
    return withoutPlaceholders({ ...rest, type: type.filter((each) => each !== 'string') });
  if (typeof pattern === 'string' && pattern.endsWith(`|${PATTERN}`))
    return withoutPlaceholders({ ...schema, pattern: pattern.slice(0, -PATTERN.length - 1) });
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutPlaceholders(value)]));
}

const isTime = (text: string) =>
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** The schema's limit, which has its own complaint. */
const LONGEST_EXPRESSION = 1000;

/** Why expressions of the scenario that is being checked cannot be used. */
let faults: ReadonlyMap<string, string> = new Map();

const isExpression = (text: string) => text.length > LONGEST_EXPRESSION || !faults.has(text);

/** Compiles each text that can be an expression. The rules read them as they are compiled. */
function* expressionFaults(root: unknown, budget: CompilingBudget): Steps<Map<string, string>> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    yield;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'object' && member !== null) open.push(member);
      if (name !== 'regex' || typeof member !== 'string' || seen.has(member)) continue;
      if (member.length > LONGEST_EXPRESSION) continue;
      seen.add(member);
      yield;
      const fault = faultOf(member, budget);
      if (fault !== undefined) found.set(member, fault);
    }
  }
  return found;
}

function faultOf(source: string, budget: CompilingBudget): string | undefined {
  try {
    budget.read(source);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ExpressionError) return thrown.message;
    throw thrown;
  }
}

/** Errors inside the branches of an alternative do not help; that no branch fits does. */
const isUseful = ({ keyword, schemaPath, propertyName }: ErrorObject) =>
  keyword !== 'if' && propertyName === undefined && !/\/(oneOf|anyOf)\/\d/.test(schemaPath);

/** A value of the wrong type gets no other complaint, and a form is described only once. */
function causesOf(errors: readonly ErrorObject[]): ErrorObject[] {
  const listed = new Set(errors.map(({ instancePath, keyword }) => `${keyword} ${instancePath}`));
  return errors.filter((error) => {
    const isToldBy = (keyword: string) =>
      error.keyword !== keyword && listed.has(`${keyword} ${error.instancePath}`);
    const isForm = error.keyword === 'required' && formOf(error) !== '';
    return !isToldBy('type') && !(isForm && isToldBy('additionalProperties'));
  });
}

/** What the members of a schema with this title are called. */
const NOUNS: Readonly<Record<string, string>> = { 'State changes': 'collection', Operators: 'operator' };

function complain(error: ErrorObject, root: unknown, complaints: Complaints): void {
  const path = readPointer(error.instancePath, root);
  const { keyword, params } = error;
  if (keyword === 'additionalProperties') {
    const key = String(params['additionalProperty']);
    const { title = '', properties = {} } = error.parentSchema as { title?: string; properties?: object };
    const noun = NOUNS[title] ?? 'key';
    const known = Object.keys(properties);
    const hint = () => formOf(error) || suggest(key, known);
    complaints.add([...path, key], () => `unknown ${noun} ${shortened(key)}${hint()}`, 'key');
  } else if (keyword === 'propertyNames') {
    const key = String(params['propertyName']);
    const noun = path[0] === 'params' ? 'parameter' : 'header';
    complaints.add([...path, key], `${key} is not the name of a ${noun}`, 'key');
  } else complaints.add(path, () => wordingOf(error), keyword === 'not' ? 'key' : 'value');
}

const commentOf = ({ parentSchema }: ErrorObject) =>
  (parentSchema as { $comment?: string } | undefined)?.$comment;

/** `; it is written X`, if the schema describes the whole form; otherwise empty. */
const formOf = (error: ErrorObject) => {
  const comment = commentOf(error);
  return comment?.startsWith('is written ') ? `; it ${comment}` : '';
};

/** Uses the schema's `$comment` where JSON Schema's own message does not help. */
function wordingOf(error: ErrorObject): string {
  const { keyword, params, message = '', data } = error;
  const comment = commentOf(error);
  if (keyword === 'required') return `${String(params['missingProperty'])} is missing${formOf(error)}`;
  if (keyword === 'maxLength') return `must have at most ${params['limit']} characters`;
  if (keyword === 'format' && params['format'] === 'regex') return faults.get(String(data)) ?? message;
  if (keyword === 'format') return 'must be an RFC 3339 time such as 2026-03-01T09:00:00Z';
  if (keyword === 'enum') return oneOf(params['allowedValues'] as unknown[], data);
  if (keyword === 'const') return `must be ${String(params['allowedValue'])}`;
  if (comment !== undefined) return comment;
  return keyword === 'type' ? `must be ${[params['type']].flat().join(' or ')}` : message;
}
