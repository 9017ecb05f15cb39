import { isObject } from '../text/json.ts';
import { readExpression } from '../text/expression.ts';
import { canSpend, type StepBudget } from './steps.ts';

/** Whether a value fits a condition; undefined: no value. Tests that cost much count their cost. */
export type ValueTest = (actual: unknown, work?: StepBudget) => boolean;

/** `json` compares values, `text` compares parameters and headers as texts. */
export type ComparisonKind = 'json' | 'text';

type Operator = (operand: unknown, kind: ComparisonKind) => ValueTest;

const OPERATORS: Readonly<Record<string, Operator>> = {
  equals: (operand, kind) => equalTo(operand, kind),
  not: (operand, kind) => negate(createTest(operand, kind)),
  contains,
  starts_with: (operand) => onText((text) => text.startsWith(String(operand))),
  ends_with: (operand) => onText((text) => text.endsWith(String(operand))),
  regex: (operand) => {
    const expression = readExpression(String(operand));
    return onText((text) => expression.test(text), expression.size);
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
export function createTest(wanted: unknown, kind: ComparisonKind): ValueTest {
  if (isOperators(wanted)) {
    return allOf(Object.entries(wanted).map(([name, operand]) => OPERATORS[name]!(operand, kind)));
  }
  if (kind === 'text') return equalTo(wanted, kind);
  if (Array.isArray(wanted)) return testList(wanted);
  return isObject(wanted) ? testObject(wanted) : equalTo(wanted, kind);
}

/** The only scalars or texts that can match, if known. */
export function keysOf(wanted: unknown, kind: ComparisonKind): readonly unknown[] | undefined {
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

export const textsOf = (value: unknown): string[] =>
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
 * The cost of compiling an expression, for each of its states, in characters. Counted at every call, so that all
 * calls are treated alike.
 */
const COMPILE_COST = 100;

/** `size`: states of the expression. */
const onText =
  (holds: (text: string) => boolean, size = 0): ValueTest =>
  (actual, work) => {
    if (typeof actual !== 'string' && typeof actual !== 'number') return false;
    const text = String(actual);
    return canSpend(work, 1 + size * (text.length + COMPILE_COST)) && holds(text);
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
