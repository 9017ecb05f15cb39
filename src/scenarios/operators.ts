import { isObject } from '../text/json.ts';
import { includes, member } from './matching.ts';
import { readExpression } from '../text/expression.ts';
import { isPaid, type Work } from './steps.ts';

/** Whether a value is what a condition wants; undefined: there is none. It says what it costs. */
export type Test = (actual: unknown, work?: Work) => boolean;

/** How plain values are compared: JSON as it is, parameters and headers by their text. */
export type Kind = 'json' | 'text';

type Operator = (operand: unknown, kind: Kind) => Test;

const OPERATORS: Readonly<Record<string, Operator>> = {
  equals: (operand, kind) => same(operand, kind),
  not: (operand, kind) => negate(createTest(operand, kind)),
  contains,
  starts_with: (operand) => onText((text) => text.startsWith(String(operand))),
  ends_with: (operand) => onText((text) => text.endsWith(String(operand))),
  regex: (operand) => {
    const expression = readExpression(String(operand));
    return onText((text) => expression.test(text), expression.size);
  },
  in: (operand, kind) => anyOf((operand as unknown[]).map((each) => same(each, kind))),
  present: (operand) => (actual) => isPresent(actual) === operand,
  absent: (operand) => (actual) => isPresent(actual) !== operand,
  gt: (operand) => onNumber((number) => number > Number(operand)),
  gte: (operand) => onNumber((number) => number >= Number(operand)),
  lt: (operand) => onNumber((number) => number < Number(operand)),
  lte: (operand) => onNumber((number) => number <= Number(operand)),
};

export const OPERATOR_NAMES: readonly string[] = Object.keys(OPERATORS);

/** An object stands for operators when its keys are names of them, all of them; `equals` takes one that does not. */
export function isOperators(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => Object.hasOwn(OPERATORS, name));
}

/** A plain value, a list or an object of them, or operators, of which all must hold. */
export function createTest(wanted: unknown, kind: Kind): Test {
  if (isOperators(wanted)) {
    return allOf(Object.entries(wanted).map(([name, operand]) => OPERATORS[name]!(operand, kind)));
  }
  if (kind === 'text') return same(wanted, kind);
  if (Array.isArray(wanted)) return testList(wanted);
  return isObject(wanted) ? testObject(wanted) : same(wanted, kind);
}

/** The only values that can pass, where that can be told: scalars, or texts. */
export function keysOf(wanted: unknown, kind: Kind): readonly unknown[] | undefined {
  if (isOperators(wanted)) {
    if ('equals' in wanted) return keysOfAll([wanted['equals']], kind);
    return 'in' in wanted ? keysOfAll(wanted['in'] as unknown[], kind) : undefined;
  }
  return keysOfAll([wanted], kind);
}

function keysOfAll(values: readonly unknown[], kind: Kind): readonly unknown[] | undefined {
  if (values.some((value) => typeof value === 'object' && value !== null)) return undefined;
  return kind === 'text' ? values.map(String) : values;
}

const testList = (wanted: readonly unknown[]): Test => {
  const tests = wanted.map((each) => createTest(each, 'json'));
  return (actual, work) =>
    Array.isArray(actual) &&
    actual.length === tests.length &&
    tests.every((test, index) => test(actual[index], work));
};

function testObject(wanted: Record<string, unknown>): Test {
  const tests = Object.entries(wanted).map(([name, value]) => ({ name, test: createTest(value, 'json') }));
  if (tests.length === 0) return isObject;
  return (actual, work) => tests.every(({ name, test }) => test(memberOf(actual, name), work));
}

export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) ? member(value, name) : undefined;

/** Parameters come as text, those that repeat as a list of it. */
function same(wanted: unknown, kind: Kind): Test {
  if (kind === 'json') return (actual, work) => isPaid(work, 1) && includes(actual, wanted);
  const expected = textsOf(wanted);
  return (actual, work) => {
    const given = isPaid(work, 1) ? textsOf(actual) : [];
    return given.length === expected.length && given.every((text, index) => text === expected[index]);
  };
}

export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter((each) => each !== undefined)
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));

/** A part of a text, or an element of a list. */
function contains(operand: unknown, kind: Kind): Test {
  const element = createTest(operand, kind);
  const isPart = onText((text) => isScalar(operand) && text.includes(String(operand)));
  return (actual, work) =>
    Array.isArray(actual) ? actual.some((each) => element(each, work)) : isPart(actual, work);
}

const isScalar = (value: unknown) => typeof value !== 'object';

/** As the service's JSON mapping has it: null is nothing. */
const isPresent = (actual: unknown) => actual !== undefined && actual !== null;

const negate =
  (test: Test): Test =>
  (actual, work) =>
    !test(actual, work);

const allOf =
  (tests: readonly Test[]): Test =>
  (actual, work) =>
    tests.every((test) => test(actual, work));

const anyOf =
  (tests: readonly Test[]): Test =>
  (actual, work) =>
    tests.some((test) => test(actual, work));

/** What compiling an expression costs, for each of its states, in characters. It counts each time: no call is served otherwise than the next. */
const COMPILING = 100;

/** `size`: of the expression. */
const onText =
  (holds: (text: string) => boolean, size = 0): Test =>
  (actual, work) => {
    if (typeof actual !== 'string' && typeof actual !== 'number') return false;
    const text = String(actual);
    return isPaid(work, 1 + size * (text.length + COMPILING)) && holds(text);
  };

/** Numbers of 64 bits come as text. */
const onNumber =
  (holds: (number: number) => boolean): Test =>
  (actual) => {
    if (typeof actual === 'number') return holds(actual);
    return typeof actual === 'string' && actual.trim() !== '' && holds(Number(actual));
  };
