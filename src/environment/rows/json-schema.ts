import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { boundErrors } from '../../contract/violations.ts';
import { readPattern } from '../../text/expression.ts';
import { NotLinear } from '../../text/re2-class.ts';

const MAX_LINES = 50;

const OPTIONS = { allErrors: true, strict: false, logger: false } as const;

/** Calls of the functions that Ajv makes of schemas. A schema that refers to itself twice doubles them at each level. */
const MAX_STEPS = 200_000;

class BoundedAjv extends Ajv2020 {
  stepsLeft = 0;
}

const FUNCTION = /(return function validate\d+\(.*?=\{\}\)\{)/;
const TOO_MANY = `checking takes more than ${MAX_STEPS} steps`;

/** In compiled code, Ajv calls itself `self`. */
const countSteps = (code: string): string =>
  boundErrors(code).replace(FUNCTION, `$1if(--self.stepsLeft<0)throw new RangeError("${TOO_MANY}");`);

/** The id of schemas without one, so that `#` means something. */
const ROOT = 'understudy:schema';

/** Checks values against JSON Schemas that are data, such as a tool's input schema. Each schema is compiled once. */
export class SchemaChecks {
  #ajv: BoundedAjv | undefined;
  readonly #compiled = new WeakMap<object, ValidateFunction>();

  /** One line for each violation. The schema must not change afterwards. */
  complaints(schema: object, value: unknown): string[] {
    try {
      this.#ajv ??= new BoundedAjv({ ...OPTIONS, code: { process: countSteps, regExp: patternOf } });
      this.#ajv.stepsLeft = MAX_STEPS;
      const validate = this.#compiled.get(schema) ?? this.#compile(schema, this.#ajv);
      return validate(value) ? [] : linesOf(validate);
    } catch (thrown) {
      if (thrown instanceof NotLinear) return [`the schema cannot be used: its ${thrown.message}`];
      // Ajv throws for a keyword with a wrong value, a reference to nothing, and references that go round in circles.
      return [`the schema cannot be used: ${(thrown as Error).message}`];
    }
  }

  #compile(schema: object, ajv: BoundedAjv): ValidateFunction {
    // The dialect does not matter: the keywords that tools use mean the same in all of them.
    const { $schema: _, ...rules } = schema as Record<string, unknown>;
    const id = typeof rules['$id'] === 'string' ? rules['$id'] : ROOT;
    ajv.addSchema(rules, id);
    try {
      const validate = ajv.getSchema(id)!;
      this.#compiled.set(schema, validate);
      return validate;
    } finally {
      // Another schema may have the same id.
      ajv.removeSchema(id);
    }
  }
}

function linesOf({ errors }: ValidateFunction): string[] {
  const all = errors ?? [];
  const lines = all.slice(0, MAX_LINES).map(({ instancePath, message = 'is not valid', params }) => {
    const name = instancePath.slice(1).replaceAll('/', '.');
    const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : '';
    return `${name === '' ? 'params' : `params.${name}`} ${message}${extra}`;
  });
  return all.length > MAX_LINES ? [...lines, `and ${all.length - MAX_LINES} more`] : lines;
}

/** Users write these patterns, so they must run in linear time. */
const patternOf = Object.assign(
  (source: string) => {
    try {
      // Ajv caches patterns by their text.
      return { ...readPattern(source), toString: () => source };
    } catch (thrown) {
      if (!(thrown instanceof NotLinear)) throw thrown;
      throw new NotLinear(thrown.offset, `pattern ${source} ${thrown.message}`);
    }
  },
  { code: 'readPattern' },
);
