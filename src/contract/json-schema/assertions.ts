import { canonicalText, isObject } from '@understudy/text/json';
import type { Check, Place, Run } from './run.ts';

/** A keyword of a schema, and the schema. */
export interface Stated {
  readonly keyword: string;
  readonly wanted: unknown;
  readonly schema: Readonly<Record<string, unknown>>;
}

type Assertion = (stated: Stated) => Check;

/** For values of one type: whether they are as wanted. */
const asserting =
  <T>(
    isOfType: (value: unknown) => value is T,
    isMet: (value: T, wanted: number, run: Run) => boolean,
    say: (wanted: number) => string,
  ): Assertion =>
  ({ keyword, wanted, schema }) =>
  (run, value, place) => {
    if (isOfType(value) && !isMet(value, wanted as number, run))
      run.report(keyword, say(wanted as number), schema, place);
  };

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: isList,
  number: isNumber,
  integer: Number.isInteger,
  string: isText,
};
export const TYPE_NAMES = Object.keys(TYPES);

const type: Assertion = ({ keyword, wanted, schema }) => {
  const types = [wanted].flat() as string[];
  const allowed = schema['nullable'] === true ? [...types, 'null'] : types;
  const tests = allowed.map((name) => TYPES[name]!);
  return (run, value, place) => {
    if (!tests.some((isOfType) => isOfType(value)))
      run.report(keyword, `must be ${types.join(',')}`, schema, place);
  };
};

const oneOfValues: Assertion = ({ keyword, wanted, schema }) => {
  const values = keyword === 'const' ? [wanted] : (wanted as unknown[]);
  const simple = new Set(values.filter((each) => typeof each !== 'object' || each === null));
  const others = values.filter((each) => typeof each === 'object' && each !== null);
  const message =
    keyword === 'const' ? 'must be equal to constant' : 'must be equal to one of the allowed values';
  return (run, value, place) => {
    if (isText(value)) run.spend(value.length / CHARACTERS_HASHED);
    const isOne =
      simple.has(value) || (typeof value === 'object' && others.some((each) => run.areEqual(each, value)));
    if (!isOne) run.report(keyword, message, schema, place);
  };
};

const CHARACTERS_HASHED = 50;

/** The least and the most that a text has are known without counting its surrogate pairs. */
const isAtMost = (text: string, most: number, run: Run) =>
  text.length <= most || (text.length <= 2 * most && run.lengthOf(text) <= most);

const members =
  (isMet: (count: number, wanted: number) => boolean, say: string): Assertion =>
  ({ keyword, wanted, schema }) =>
  (run, value, place) => {
    if (isObject(value) && !isMet(run.namesOf(value).length, wanted as number))
      run.report(keyword, `must NOT have ${say} than ${Number(wanted)} properties`, schema, place);
  };

const required: Assertion = ({ keyword, wanted, schema }) => {
  const names = wanted as string[];
  return (run, value, place) => {
    if (isObject(value))
      reportMissing(run, names, value, (name) => {
        run.report(keyword, `must have required property '${name}'`, schema, place, name);
      });
  };
};

function reportMissing(
  run: Run,
  names: readonly string[],
  value: object,
  report: (name: string) => void,
): void {
  run.spend(names.length);
  for (const name of names) if (!has(value, name)) report(name);
}

/** A member whose value is undefined cannot be in JSON. */
export const has = (value: object, name: string): boolean => Object.hasOwn(value, name);

const dependentRequired: Assertion = ({ keyword, wanted, schema }) => {
  const lists = Object.entries(wanted as Record<string, string[]>);
  return (run, value, place) => {
    if (!isObject(value)) return;
    run.spend(lists.length);
    for (const [name, names] of lists)
      if (has(value, name)) reportDependent(run, { keyword, schema, place }, value, name, names);
  };
};

interface Where {
  readonly keyword: string;
  readonly schema: unknown;
  readonly place: Place | undefined;
}

/** Says which members a member needs. */
export function reportDependent(
  run: Run,
  { keyword, schema, place }: Where,
  value: object,
  name: string,
  names: readonly string[],
): void {
  reportMissing(run, names, value, (missing) => {
    run.report(keyword, `must have property ${missing} when property ${name} is present`, schema, place);
  });
}

/** What the text of a value costs, for each thing in it. */
const STEPS_OF_TEXT = 7;
const CHARACTERS_WRITTEN = 20;

function weightOf(value: unknown): number {
  if (isText(value)) return 1 + value.length / CHARACTERS_WRITTEN;
  if (typeof value !== 'object' || value === null) return 1;
  const own = isList(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, each) => sum + weightOf(each), 1 + own);
}

const uniqueItems: Assertion =
  ({ keyword, wanted, schema }) =>
  (run, value, place) => {
    if (wanted !== true || !isList(value)) return;
    const same = sameItems(run, value);
    if (same)
      run.report(
        keyword,
        `must NOT have duplicate items (items ${same[0]} and ${same[1]} are equal)`,
        schema,
        place,
      );
  };

function sameItems(run: Run, items: readonly unknown[]): [number, number] | undefined {
  const seen = { simple: new Set<unknown>(), composed: new Set<unknown>() };
  for (const [index, item] of items.entries()) {
    const isComposed = typeof item === 'object' && item !== null;
    run.spend(isComposed ? STEPS_OF_TEXT * weightOf(item) : 3 + weightOf(item));
    const keys = isComposed ? seen.composed : seen.simple;
    const before = keys.size;
    const key = isComposed ? canonicalText(item) : item;
    if (keys.add(key).size === before) return [items.findIndex((each) => run.areEqual(each, item)), index];
  }
  return undefined;
}

/** The keywords that check a value without another schema. */
export const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  type,
  enum: oneOfValues,
  const: oneOfValues,
  maximum: asserting(
    isNumber,
    (value, most) => value <= most,
    (most) => `must be <= ${most}`,
  ),
  minimum: asserting(
    isNumber,
    (value, least) => value >= least,
    (least) => `must be >= ${least}`,
  ),
  exclusiveMaximum: asserting(
    isNumber,
    (value, most) => value < most,
    (most) => `must be < ${most}`,
  ),
  exclusiveMinimum: asserting(
    isNumber,
    (value, least) => value > least,
    (least) => `must be > ${least}`,
  ),
  multipleOf: asserting(
    isNumber,
    (value, divisor) => Number.isInteger(value / divisor),
    (divisor) => `must be multiple of ${divisor}`,
  ),
  maxLength: asserting(isText, isAtMost, (most) => `must NOT have more than ${most} characters`),
  minLength: asserting(
    isText,
    (text, least, run) => least === 0 || !isAtMost(text, least - 1, run),
    (least) => `must NOT have fewer than ${least} characters`,
  ),
  maxItems: asserting(
    isList,
    (items, most) => items.length <= most,
    (most) => `must NOT have more than ${most} items`,
  ),
  minItems: asserting(
    isList,
    (items, least) => items.length >= least,
    (least) => `must NOT have fewer than ${least} items`,
  ),
  uniqueItems,
  maxProperties: members((count, most) => count <= most, 'more'),
  minProperties: members((count, least) => count >= least, 'fewer'),
  required,
  dependentRequired,
};
