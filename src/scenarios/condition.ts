import { isObject } from '@understudy/text/json';
import type { CallFacts } from './call-facts.ts';
import { globTest } from '@understudy/text/glob';
import type { Path } from './path.ts';
import { StepBudget, canSpend } from './steps.ts';
import { readExpression } from '@understudy/text/expression';

/** What a call must have to match a rule: every named member, as a plain value or with operators. */
export type Condition = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  caller?: Record<string, unknown>;
  protocol?: unknown;
  /** For webhooks and interceptors: the address that is called. */
  to?: unknown;
};

/** One requirement for a call. */
export interface Requirement {
  /** For example `when`, `body`, `tool_name`. */
  readonly at: Path;
  /** As the scenario file has it. */
  readonly wanted: unknown;
  readonly read: (facts: CallFacts) => unknown;
  readonly test: ValueTest;
  /** The only values that match, if known; used as an index. */
  readonly keys: readonly unknown[] | undefined;
}

/** False once the budget is spent. */
export const meets = (
  facts: CallFacts,
  requirements: readonly Requirement[],
  work = new StepBudget(),
): boolean => requirements.every(({ read, test }) => test(read(facts), work) && !work.isSpent);

type ReadFact = (facts: CallFacts) => unknown;

/** The condition must be checked before. */
export function readCondition(condition: Condition): Requirement[] {
  const { path = {}, query = {}, headers = {}, caller = {}, body, protocol, to } = condition;
  return [
    ...readTexts(path, 'path', (name) => (facts) => textOf(member(facts.params, name))),
    ...readTexts(query, 'query', (name) => (facts) => textOf(member(facts.query, name))),
    ...readTexts(headers, 'headers', headerReader),
    ...readTexts(caller, 'caller', (name) => (facts) => memberOf(facts.caller, name)),
    ...(body === undefined ? [] : readMembers(body, ['body'], (facts) => facts.body)),
    ...(protocol === undefined
      ? []
      : [requirement(protocol, { at: ['protocol'], kind: 'text', look: (facts) => facts.protocol })]),
    ...(to === undefined ? [] : [readAddress(to)]),
  ];
}

/** For `on.path`, where `*` matches any text. */
export const readPath = (glob: string): Requirement =>
  globRequirement(glob, ['on', 'path'], ({ path }) => (path.endsWith('/') ? path.slice(0, -1) : path));

/** In a plain text, `*` matches any text. */
function readAddress(to: unknown): Requirement {
  const read: ReadFact = (facts) => facts.to;
  if (typeof to === 'string') return globRequirement(to, ['when', 'to'], read);
  return requirement(to, { at: ['to'], kind: 'text', look: read });
}

function globRequirement(glob: string, at: Path, read: ReadFact): Requirement {
  const test = globTest(glob);
  const keys = glob.includes('*') ? undefined : [glob];
  return { at, wanted: glob, read, test: (text) => test(String(text)), keys };
}

const readTexts = (
  wanted: Record<string, unknown>,
  part: string,
  reader: (name: string) => ReadFact,
): Requirement[] =>
  Object.entries(wanted).map(([name, value]) =>
    requirement(value, { at: [part, name], kind: 'text', look: reader(name) }),
  );

/** One requirement for each member, nested ones too, so that each has its own reason. */
function readMembers(wanted: unknown, at: Path, read: ReadFact): Requirement[] {
  const members = isObject(wanted) && !isOperators(wanted) ? Object.entries(wanted) : [];
  if (members.length === 0) return [requirement(wanted, { at, kind: 'json', look: read })];
  return members.flatMap(([name, value]) =>
    readMembers(value, [...at, name], (facts) => memberOf(read(facts), name)),
  );
}

function requirement(
  wanted: unknown,
  { at, kind, look: read }: { at: Path; kind: ComparisonKind; look: ReadFact },
): Requirement {
  return {
    at: ['when', ...at],
    wanted,
    read,
    test: createTest(wanted, kind),
    keys: keysOf(wanted, kind),
  };
}

/** Node's header names are in lower case; gRPC metadata may differ. */
function headerReader(name: string): ReadFact {
  const lower = name.toLowerCase();
  return ({ headers }) => {
    const found = Object.hasOwn(headers, lower)
      ? lower
      : Object.keys(headers).find((each) => each.toLowerCase() === lower);
    const texts = found === undefined ? [] : textsOf(headers[found]);
    return texts.length === 0 ? undefined : texts.join(', ');
  };
}

/** A text, or a list of texts for a repeated parameter. */
function textOf(value: unknown): string | string[] | undefined {
  if (typeof value === 'string') return value;
  const texts = textsOf(value);
  return texts.length > 1 ? texts : texts[0];
}

/** Whether a value fits a condition; undefined: no value. Tests that cost much count their cost. */
type ValueTest = (actual: unknown, work?: StepBudget) => boolean;

/** `json` compares values, `text` compares parameters and headers as texts. */
type ComparisonKind = 'json' | 'text';

type Operator = (operand: unknown, kind: ComparisonKind) => ValueTest;

const OPERATORS: Readonly<Record<string, Operator>> = {
  equals: (operand, kind) => equalTo(operand, kind),
  not: (operand, kind) => negate(createTest(operand, kind)),
  contains,
  starts_with: (operand) => onText((text) => text.startsWith(String(operand))),
  ends_with: (operand) => onText((text) => text.endsWith(String(operand))),
  regex: (operand) => {
    const expression = readExpression(String(operand));
    return onText((text) => expression.test(text), expression);
  },
  in: (operand, kind) => anyOf((operand as unknown[]).map((each) => equalTo(each, kind))),
  present: (operand) => (actual) => isPresent(actual) === operand,
  absent: (operand) => (actual) => isPresent(actual) !== operand,
  gt: (operand) => onNumber((number) => number > Number(operand)),
  gte: (operand) => onNumber((number) => number >= Number(operand)),
  lt: (operand) => onNumber((number) => number < Number(operand)),
  lte: (operand) => onNumber((number) => number <= Number(operand)),
};

export const OPERATOR_NAMES: readonly string[] = Object.keys(OPERATORS);

/** An object whose keys are all operator names; use `equals` to match such an object itself. */
export function isOperators(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => Object.hasOwn(OPERATORS, name));
}

/** All operators of an object must hold. */
function createTest(wanted: unknown, kind: ComparisonKind): ValueTest {
  if (isOperators(wanted)) {
    return allOf(Object.entries(wanted).map(([name, operand]) => OPERATORS[name]!(operand, kind)));
  }
  if (kind === 'text') return equalTo(wanted, kind);
  if (Array.isArray(wanted)) return testList(wanted);
  return isObject(wanted) ? testObject(wanted) : equalTo(wanted, kind);
}

/** The only scalars or texts that can match, if known. */
function keysOf(wanted: unknown, kind: ComparisonKind): readonly unknown[] | undefined {
  if (isOperators(wanted)) {
    if ('equals' in wanted) return keysOfAll([wanted['equals']], kind);
    return 'in' in wanted ? keysOfAll(wanted['in'] as unknown[], kind) : undefined;
  }
  return keysOfAll([wanted], kind);
}

function keysOfAll(values: readonly unknown[], kind: ComparisonKind): readonly unknown[] | undefined {
  if (values.some((value) => typeof value === 'object' && value !== null)) return undefined;
  return kind === 'text' ? values.map(String) : values;
}

const testList = (wanted: readonly unknown[]): ValueTest => {
  const tests = wanted.map((each) => createTest(each, 'json'));
  return (actual, work) =>
    Array.isArray(actual) &&
    actual.length === tests.length &&
    tests.every((test, index) => test(actual[index], work));
};

function testObject(wanted: Record<string, unknown>): ValueTest {
  const tests = Object.entries(wanted).map(([name, value]) => ({ name, test: createTest(value, 'json') }));
  if (tests.length === 0) return isObject;
  return (actual, work) => tests.every(({ name, test }) => test(memberOf(actual, name), work));
}

export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) ? member(value, name) : undefined;

/** Repeated parameters arrive as a list of texts. */
function equalTo(wanted: unknown, kind: ComparisonKind): ValueTest {
  if (kind === 'json') return (actual, work) => canSpend(work, 1) && includes(actual, wanted);
  const expected = textsOf(wanted);
  return (actual, work) => {
    const given = canSpend(work, 1) ? textsOf(actual) : [];
    return given.length === expected.length && given.every((text, index) => text === expected[index]);
  };
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter((each) => each !== undefined)
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));

/** A part of a text, or an element of a list. */
function contains(operand: unknown, kind: ComparisonKind): ValueTest {
  const element = createTest(operand, kind);
  const isPart = onText((text) => isScalar(operand) && text.includes(String(operand)));
  return (actual, work) =>
    Array.isArray(actual) ? actual.some((each) => element(each, work)) : isPart(actual, work);
}

const isScalar = (value: unknown) => typeof value !== 'object';

/** Like in the service's JSON mapping, null means absent. */
const isPresent = (actual: unknown) => actual !== undefined && actual !== null;

const negate =
  (test: ValueTest): ValueTest =>
  (actual, work) =>
    !test(actual, work);

const allOf =
  (tests: readonly ValueTest[]): ValueTest =>
  (actual, work) =>
    tests.every((test) => test(actual, work));

const anyOf =
  (tests: readonly ValueTest[]): ValueTest =>
  (actual, work) =>
    tests.some((test) => test(actual, work));

/**
 * The first use of an expression costs a third of its compiling once more. Steps for each microsecond.
 * Counted at every call, so that all calls are treated alike.
 */
const FIRST_TEST = 4;

/** `size`: states of the expression; `cost`: of compiling it. */
const onText =
  (holds: (text: string) => boolean, { size, cost } = { size: 0, cost: 0 }): ValueTest =>
  (actual, work) => {
    if (typeof actual !== 'string' && typeof actual !== 'number') return false;
    const text = String(actual);
    return canSpend(work, 1 + size * text.length + FIRST_TEST * cost) && holds(text);
  };

/** 64-bit integers arrive as texts. */
const onNumber =
  (holds: (number: number) => boolean): ValueTest =>
  (actual) => {
    if (typeof actual === 'number') return holds(actual);
    return typeof actual === 'string' && actual.trim() !== '' && holds(Number(actual));
  };

/** Whether `whole` contains `part`: objects may have more members, lists must be equal in length. */
export function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return includesList(whole, part);
  if (typeof part !== 'object' || part === null) return Object.is(whole, part);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([name, value]) => includes(member(whole, name), value));
}

const includesList = (whole: unknown, part: readonly unknown[]) =>
  Array.isArray(whole) &&
  whole.length === part.length &&
  part.every((value, index) => includes(whole[index], value));

/** JSON bodies may also spell a name in camelCase, as the contract allows. */
export function member(whole: object, name: string): unknown {
  if (Object.hasOwn(whole, name)) return (whole as Record<string, unknown>)[name];
  if (!name.includes('_')) return undefined;
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(whole, camel) ? (whole as Record<string, unknown>)[camel] : undefined;
}
