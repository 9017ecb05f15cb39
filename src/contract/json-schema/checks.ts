import type { UnknownField } from '../types.ts';
import { isObject } from '@understudy/text/json';
import { SchemaReader } from './reader.ts';
import { pathOf, Run, type Breach, type Part } from './run.ts';
import { UnusableSchema } from './steps.ts';

const MAX_LINES = 50;

/** Reading a schema takes time for each keyword. */
const MAX_SCHEMA = 100_000;

interface ReadSchema {
  whole: Part;
  asksForEvaluated: boolean;
}

/** The most characters of a reason, which may quote long values of the schema. */
const LONGEST_REASON = 1000;

/** What a schema says of the params of a call. */
interface CheckedParams {
  /** One line for each violation. */
  complaints: readonly string[];
  /** Required params that the call lacks. */
  missing: readonly string[];
  /** Params that the schema does not name. */
  unknown: readonly UnknownField[];
}

const NO_FLAW: CheckedParams = { complaints: [], missing: [], unknown: [] };

/** Checks values against JSON Schemas that are data, such as a tool's input schema. Each schema is read once. */
export class SchemaChecks {
  /** By schema; the reason for one that cannot be used. */
  readonly #read = new WeakMap<object, ReadSchema | string>();

  /** Checks the params of a tool. The schema must not change afterwards. */
  check(schema: object, value: unknown, tool: string): CheckedParams {
    const known = this.#known(schema);
    const found = typeof known === 'string' ? known : unlessUnusable(() => breachesOf(known, value));
    if (typeof found === 'string')
      return { ...NO_FLAW, complaints: [`the schema of ${tool} cannot be used: ${found}`] };
    return sorted(found, schema, value);
  }

  /** Why the schema cannot be used; undefined if it can. */
  flaw(schema: object): string | undefined {
    const known = this.#known(schema);
    return typeof known === 'string' ? `the schema cannot be used: ${known}` : undefined;
  }

  #known(schema: object): ReadSchema | string {
    const known = this.#read.get(schema) ?? unlessUnusable(() => read(schema));
    this.#read.set(schema, known);
    return known;
  }
}

function read(schema: object): ReadSchema {
  const size = JSON.stringify(schema).length;
  if (size > MAX_SCHEMA) throw new UnusableSchema(`it has ${size} characters, at most ${MAX_SCHEMA}`);
  const reader = new SchemaReader();
  const whole = reader.read(schema);
  return { whole, asksForEvaluated: reader.asksForEvaluated };
}

function breachesOf({ whole, asksForEvaluated }: ReadSchema, value: unknown): readonly Breach[] {
  const run = new Run(asksForEvaluated);
  run.branch(whole, value, undefined);
  return run.breaches;
}

/** The result, or the reason why the schema cannot be used. */
function unlessUnusable<T>(run: () => T): T | string {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof UnusableSchema)) throw thrown;
    const { message } = thrown;
    return message.length > LONGEST_REASON ? `${message.slice(0, LONGEST_REASON)}…` : message;
  }
}

function sorted(breaches: readonly Breach[], schema: object, value: unknown): CheckedParams {
  const isUnnamed = ({ keyword }: Breach) => keyword === 'additionalProperties';
  const isMissing = ({ keyword, place, schema: of }: Breach) =>
    keyword === 'required' && place === undefined && of === schema;
  return {
    complaints: linesOf(breaches.filter((each) => !isUnnamed(each) && !isMissing(each))),
    missing: breaches.filter(isMissing).map(({ name }) => String(name)),
    unknown: [...breaches.filter(isUnnamed).map(unknownField), ...unlisted(schema, value)],
  };
}

function unknownField({ place, schema, name = '' }: Breach): UnknownField {
  return { field: [...pathOf(place), name].join('.'), name, known: () => namesIn(schema) };
}

/** Keywords with which a schema names or allows params elsewhere than in `properties`. */
const OPEN_KEYWORDS = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  '$ref',
  '$dynamicRef',
];
const COMPOSED_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies'];

/** The params that a schema neither names nor speaks of. */
function unlisted(schema: object, value: unknown): UnknownField[] {
  const { properties } = schema as { properties?: unknown };
  if (!isObject(properties) || !isObject(value)) return [];
  if ([...OPEN_KEYWORDS, ...COMPOSED_KEYWORDS].some((keyword) => keyword in schema)) return [];
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, MAX_LINES)
    .map((name) => ({ field: ['params', name].join('.'), name, known: () => namesIn(schema) }));
}

function namesIn(schema: unknown): string[] {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

function linesOf(breaches: readonly Breach[]): string[] {
  const lines = breaches
    .slice(0, MAX_LINES)
    .map(({ place, message }) => `${pathOf(place).join('.')} ${message}`);
  return breaches.length > MAX_LINES ? [...lines, `and ${breaches.length - MAX_LINES} more`] : lines;
}
