import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { boundErrors } from '../../contract/violations.ts';
import { readPattern } from '../../text/expression.ts';
import { NotLinear } from '../../text/re2-class.ts';

const MAX_LINES = 50;

const OPTIONS = { allErrors: true, strict: false, logger: false, addUsedSchema: false } as const;

/** Checks values against JSON Schemas that are data, such as a tool's input schema. Each schema is compiled once. */
export class SchemaChecks {
  #ajv: Ajv2020 | undefined;
  readonly #compiled = new WeakMap<object, ValidateFunction>();

  /** One line for each violation. The schema must not change afterwards. */
  complaints(schema: object, value: unknown): string[] {
    try {
      const validate = this.#compiled.get(schema) ?? this.#compile(schema);
      return validate(value) ? [] : linesOf(validate);
    } catch (thrown) {
      if (thrown instanceof NotLinear) return [`the schema cannot be used: its ${thrown.message}`];
      // Ajv throws for a keyword with a wrong value and for a reference to nothing.
      return [`the schema cannot be used: ${(thrown as Error).message}`];
    }
  }

  #compile(schema: object): ValidateFunction {
    this.#ajv ??= new Ajv2020({ ...OPTIONS, code: { process: boundErrors, regExp: patternOf } });
    // The dialect does not matter: the keywords that tools use mean the same in all of them.
    const { $schema: _, ...rules } = schema as Record<string, unknown>;
    const validate = this.#ajv.compile(rules);
    this.#compiled.set(schema, validate);
    return validate;
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
