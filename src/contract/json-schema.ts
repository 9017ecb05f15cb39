import {
  Ajv2020,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import type { UnknownField } from './types.ts';
import { boundErrors } from './violations.ts';
import { canonicalText, isObject } from '../text/json.ts';
import { costOf, ExpressionError, readExpression } from '../text/expression.ts';
import { countSteps } from './schema-steps.ts';

const MAX_LINES = 50;

/** Compiling takes time for each keyword, and more for some. */
const MAX_SCHEMA = 100_000;

/** Some tenths of a second at most, whatever the schema. */
const MAX_STEPS = 1_000_000;

/** Ajv, which is loaded at the first schema, with compiled functions that count their steps. */
class BoundedAjv {
  readonly ajv: Ajv2020;
  #stepsLeft = MAX_STEPS;

  constructor() {
    // Compiled functions call these as members of `self`.
    const bounds = {
      spend: (steps: number) => this.spend(steps),
      countMembers: (value: object) => this.#countMembers(value),
      counting: (run: RuntimeFunction) => this.#counting(run),
    };
    this.ajv = Object.assign(this.#create(), bounds);
    const { rules } = this.ajv.RULES;
    for (const { keyword } of rules.flatMap((group) => group.rules)) this.#countCompiling(keyword);
    this.ajv.removeKeyword('uniqueItems');
    this.ajv.addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      errors: true,
      compile: (isWanted: boolean) => (isWanted ? unique(bounds.spend) : () => true),
    });
  }

  #create(): Ajv2020 {
    return new Ajv2020({
      allErrors: true,
      strict: false,
      logger: false,
      validateSchema: false,
      // A large schema that is inlined at each of its references would grow too fast.
      inlineRefs: false,
      code: {
        process: (code, compiled) => boundErrors(countSteps(synchronous(code, compiled))),
        // `code` is for programs that Ajv writes to files.
        regExp: Object.assign((source: string) => this.#patternOf(source), { code: 'readExpression' }),
      },
    });
  }

  refill(): void {
    this.#stepsLeft = MAX_STEPS;
  }

  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new RangeError(`checking takes more than ${MAX_STEPS} steps`);
  }

  /** Replaces `Object.keys(value).length`. */
  #countMembers(value: object): number {
    const { length } = Object.keys(value);
    this.spend(length);
    return length;
  }

  /** The code that Ajv makes of one keyword may be much longer than the keyword, so compiling counts steps too. */
  #countCompiling(keyword: string): void {
    const definition = this.ajv.getKeyword(keyword);
    if (typeof definition !== 'object' || !('code' in definition)) return;
    const { code } = definition as CodeKeywordDefinition;
    definition.code = (context: KeywordCxt, ruleType) => {
      this.spend(STEPS_OF_KEYWORD * partsOf(keyword, context));
      code(context, ruleType);
    };
  }

  /** Makes a function of Ajv's that compares values or measures texts count its steps. */
  #counting(run: RuntimeFunction): RuntimeFunction {
    const spend = (steps: number) => this.spend(steps);
    return function counted(this: unknown, value, other) {
      spend(weightOf(value));
      return run.call(this, value, other);
    };
  }

  /** Users write these patterns, so they must run in linear time. */
  #patternOf(source: string) {
    this.spend(STEPS_OF_MICROSECOND * costOf(source));
    try {
      const expression = readExpression(source);
      const counted = (text: string) => {
        this.spend(text.length * expression.size);
        return expression.test(text);
      };
      // Ajv caches patterns by their text.
      return { test: counted, toString: () => source };
    } catch (thrown) {
      if (!(thrown instanceof ExpressionError)) throw thrown;
      throw new ExpressionError(`pattern ${source} ${thrown.message}`);
    }
  }
}

type RuntimeFunction = (value: unknown, other: unknown) => unknown;

/** For one keyword and for each of its parts: a little more than compiling them takes. */
const STEPS_OF_KEYWORD = 120;
const STEPS_OF_MICROSECOND = 12;
/** How often a short part is repeated until that takes as long as compiling a part. */
const REPEATED = 20;

/** How many parts of code Ajv makes of a keyword. It repeats some for each of the others. */
function partsOf(keyword: string, { schema, parentSchema }: KeywordCxt): number {
  const squared = (value: unknown) => (isList(value) ? value.length ** 2 / REPEATED : 0);
  const many = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  if (keyword === 'enum' || keyword === 'const') return 1;
  if (keyword === 'dependentRequired' || keyword === 'dependencies')
    return Object.values(schema as object).reduce<number>((sum, each) => sum + 1 + squared(each), 1);
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return 1 + many((parentSchema as { patternProperties?: unknown }).patternProperties) ** 2 / REPEATED;
  return 1 + many(schema);
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

/** Ajv would make a function that returns a promise of a schema with its own keyword `$async`. */
function synchronous(code: string, compiled: { $async?: unknown } | undefined): string {
  if (compiled?.$async) throw new TypeError('$async is none of the keywords of JSON Schema');
  return code;
}

const CHARACTERS_OF_STEP = 50;

function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS_OF_STEP);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + weightOf(each), 1);
}

/** Writing a value as a text takes longer than comparing it. */
const STEPS_OF_TEXT = 3;

/** `uniqueItems` in linear time: Ajv compares each item with each other item. */
function unique(spend: (steps: number) => void) {
  const validate: KeywordCheck = (items) => {
    const seen = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      spend(STEPS_OF_TEXT * weightOf(item));
      const text = canonicalText(item);
      const same = seen.get(text);
      if (same !== undefined) {
        const message = `must NOT have duplicate items (items ${same} and ${index} are equal)`;
        validate.errors = [{ message, params: {} }];
        return false;
      }
      seen.set(text, index);
    }
    return true;
  };
  return validate;
}

interface KeywordCheck {
  (items: readonly unknown[]): boolean;
  errors?: { message: string; params: object }[];
}

interface CompiledSchema {
  bounds: BoundedAjv;
  validate: ValidateFunction;
}

/** Reasons may repeat what the schema says. */
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

/** Checks values against JSON Schemas that are data, such as a tool's input schema. Each schema is compiled once. */
export class SchemaChecks {
  /** Checks schemas, of which it keeps nothing. */
  #meta: BoundedAjv | undefined;
  /** By schema; the reason for one that cannot be used. */
  readonly #compiled = new WeakMap<object, CompiledSchema | string>();

  /** Checks the params of a tool. The schema must not change afterwards. */
  check(schema: object, value: unknown): CheckedParams {
    const known = this.#compiled.get(schema) ?? this.#remember(schema);
    if (typeof known === 'string') return { ...NO_FLAW, complaints: [known] };
    const { bounds, validate } = known;
    bounds.refill();
    const found = unlessUnusable(() => {
      const errors = validate(value) ? [] : (validate.errors ?? []);
      return sorted(errors, schema, value);
    });
    return typeof found === 'string' ? { ...NO_FLAW, complaints: [found] } : found;
  }

  /** Why the schema cannot be used; undefined if it can. */
  flaw(schema: object): string | undefined {
    const known = this.#compiled.get(schema) ?? this.#remember(schema);
    return typeof known === 'string' ? known : undefined;
  }

  #remember(schema: object): CompiledSchema | string {
    const compiled = unlessUnusable(() => this.#compile(schema));
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /** Each schema has an Ajv of its own: Ajv keeps the ids of schemas, also of those that it refuses, and their code. */
  #compile(schema: object): CompiledSchema {
    // The dialect does not matter: the keywords that tools use mean the same in all of them.
    const { $schema: _, ...rules } = schema as Record<string, unknown>;
    const size = JSON.stringify(rules).length;
    if (size > MAX_SCHEMA) throw new RangeError(`it has ${size} characters, at most ${MAX_SCHEMA}`);
    this.#checkSchema(rules);
    const bounds = new BoundedAjv();
    return { bounds, validate: bounds.ajv.compile(rules) };
  }

  #checkSchema(rules: object): void {
    const meta = (this.#meta ??= createMeta());
    meta.refill();
    const { ajv } = meta;
    if (ajv.validateSchema(rules)) return;
    const reasons = ajv.errorsText(ajv.errors?.slice(0, MAX_LINES), { dataVar: 'schema' });
    throw new TypeError(`it is not a JSON Schema: ${reasons}`);
  }
}

/** It has compiled what it checks with, so that the first schema costs no more than the others. */
function createMeta(): BoundedAjv {
  const meta = new BoundedAjv();
  void meta.ajv.validateSchema({});
  return meta;
}

/** The result, or the reason why the schema cannot be used. */
function unlessUnusable<T>(run: () => T): T | string {
  try {
    return run();
  } catch (thrown) {
    // Ajv throws for a keyword with a wrong value, a reference to nothing, and references that go round in circles.
    const { message } = thrown as Error;
    const reason = message.length > LONGEST_REASON ? `${message.slice(0, LONGEST_REASON)}…` : message;
    return `the schema cannot be used: ${thrown instanceof ExpressionError ? 'its ' : ''}${reason}`;
  }
}

function sorted(errors: readonly ErrorObject[], schema: object, value: unknown): CheckedParams {
  const unnamed = errors.filter(({ keyword }) => keyword === 'additionalProperties');
  const missing = errors.filter(isMissingParam);
  const others = errors.filter((error) => !unnamed.includes(error) && !missing.includes(error));
  return {
    complaints: linesOf(others),
    missing: missing.map(({ params }) => String(params['missingProperty'])),
    unknown: [...unnamed.map((error) => unknownField(error, schema)), ...unlisted(schema, value)],
  };
}

const isMissingParam = ({ keyword, instancePath, schemaPath }: ErrorObject) =>
  keyword === 'required' && instancePath === '' && schemaPath === '#/required';

function unknownField({ instancePath, schemaPath, params }: ErrorObject, schema: object): UnknownField {
  const name = String(params['additionalProperty']);
  const holder = schemaPath
    .split('/')
    .slice(1, -1)
    .reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), schema);
  return {
    field: [...pathOf(instancePath), name].join('.'),
    name,
    known: () => namesIn(holder),
  };
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

const pathOf = (instancePath: string): string[] => ['params', ...instancePath.split('/').slice(1)];

function linesOf(errors: readonly ErrorObject[]): string[] {
  const lines = errors
    .slice(0, MAX_LINES)
    .map(({ instancePath, message = 'is not valid' }) => `${pathOf(instancePath).join('.')} ${message}`);
  return errors.length > MAX_LINES ? [...lines, `and ${errors.length - MAX_LINES} more`] : lines;
}
