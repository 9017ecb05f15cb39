import { isObject } from '@understudy/text/json';
import { costOf, ExpressionError, readExpression } from '@understudy/text/expression';
import { APPLICATORS, type Pattern, type Reading } from './applicators.ts';
import { ASSERTIONS, type Stated } from './assertions.ts';
import { KEYWORDS } from './dialect.ts';
import { References } from './references.ts';
import type { Check, Part, Resource, Run } from './run.ts';
import { DEEPEST, Steps, UnusableSchema } from './steps.ts';

const STEPS_OF_SCHEMA = 20;
const STEPS_OF_MICROSECOND = 20;
/** How many steps the engine of expressions makes in one of ours. */
const STEPS_OF_PATTERN = 1;
const MAX_FAULTS = 50;

const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** Keywords whose schemas are used by others, or by none: they are read, because they may have ids and faults. */
const NAMED = new Set(['$defs', 'definitions']);
const ALONE = new Set(['then', 'else', 'contentSchema']);

/** Keywords in the order of checks: what asks for evaluated members comes after what evaluates them. */
const ORDER = new Map([...KEYWORDS.keys()].map((keyword, index) => [keyword, index]));

/** Reads a schema once, so that checks of values walk over what it has found. */
export class SchemaReader extends Steps {
  /** Whether a keyword asks which members and items the others have evaluated. */
  asksForEvaluated = false;
  readonly #faults: string[] = [];
  readonly #known = new Map<unknown, Part>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #references = new References((schema, resource) => this.#partOf(schema, resource, ['$ref']));
  #path: string[] = [];

  /** Throws UnusableSchema. */
  read(schema: object): Part {
    const whole = this.#partOf(schema, undefined, []);
    if (this.#faults.length > 0)
      throw new UnusableSchema(`it is not a JSON Schema: ${this.#faults.slice(0, MAX_FAULTS).join(', ')}`);
    this.#references.resolve();
    return whole;
  }

  protected override where(): string {
    return ['schema', ...this.#path].join('/');
  }

  #partOf(schema: unknown, outer: Resource | undefined, path: string[]): Part {
    const known = this.#known.get(schema);
    if (known && typeof schema === 'object') return known;
    this.#path = path;
    if (path.length > DEEPEST)
      throw new UnusableSchema(`${this.where().slice(0, 40)}… is deeper than ${DEEPEST} levels`);
    this.spend(STEPS_OF_SCHEMA);
    if (!isObject(schema)) return booleanPart(schema, outer!);
    const resource = this.#references.resourceOf(schema, outer);
    const checks: { keyword: string; check: Check }[] = [];
    const part = { schema, resource, checks };
    this.#known.set(schema, part);
    this.#references.name(part, schema);
    const keywords = Object.keys(schema).filter((keyword) => KEYWORDS.has(keyword));
    this.spend(STEPS_OF_SCHEMA * keywords.length);
    for (const keyword of keywords.toSorted((a, b) => ORDER.get(a)! - ORDER.get(b)!)) {
      const check = this.#checkOf({ keyword, wanted: schema[keyword], schema }, resource, [...path, keyword]);
      if (check) checks.push({ keyword, check });
    }
    return part;
  }

  #checkOf(stated: Stated, resource: Resource, path: string[]): Check | undefined {
    const { keyword, wanted } = stated;
    this.#path = path;
    const fault = KEYWORDS.get(keyword)!(wanted);
    if (fault !== undefined) {
      this.#faults.push(`${this.where()} ${fault}`);
      return undefined;
    }
    if (REFERENCES.has(keyword)) return this.#references.follow(keyword, wanted as string, resource);
    if (keyword.startsWith('unevaluated')) this.asksForEvaluated = true;
    const reading = this.#readingAt(resource, path);
    if (NAMED.has(keyword)) reading.partsByName(wanted);
    if (ALONE.has(keyword)) reading.part(wanted);
    return ASSERTIONS[keyword]?.(stated) ?? APPLICATORS[keyword]?.(stated, reading);
  }

  #readingAt(resource: Resource, path: string[]): Reading {
    const part = (schema: unknown, ...steps: string[]) => this.#partOf(schema, resource, [...path, ...steps]);
    return {
      part: (schema) => part(schema),
      parts: (schemas) => (schemas as unknown[]).map((each, index) => part(each, `${index}`)),
      partsByName: (schemas) =>
        Object.entries(schemas as object).map(([name, each]) => [name, part(each, name)]),
      pattern: (source) => this.#patternOf(source, path),
    };
  }

  /** Users write these patterns, so they must run in linear time. */
  #patternOf(source: string, path: string[]): Pattern {
    this.#path = path;
    const known = this.#patterns.get(source) ?? this.#compile(source);
    this.#patterns.set(source, known);
    return known;
  }

  #compile(source: string): Pattern {
    this.spend(STEPS_OF_MICROSECOND * costOf(source));
    try {
      const expression = readExpression(source);
      return (run: Run, text: string) => {
        run.spend(1 + STEPS_OF_PATTERN * text.length * expression.size);
        return expression.test(text);
      };
    } catch (thrown) {
      if (!(thrown instanceof ExpressionError)) throw thrown;
      throw new UnusableSchema(`its pattern ${source} ${thrown.message}`);
    }
  }
}

/** `false` allows nothing. */
function booleanPart(schema: unknown, resource: Resource): Part {
  const check: Check = (run, _, place) => {
    run.report('false', 'is not allowed by the schema', schema, place);
  };
  return { schema, resource, checks: schema === false ? [{ keyword: 'false', check }] : [] };
}
