import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Checks values against JSON Schemas that are data, such as a tool's input schema. Each is compiled once. */
export class SchemaChecks {
  #ajv: Ajv2020 | undefined;
  readonly #compiled = new WeakMap<object, ValidateFunction>();

  /** What is wrong with the value, a line each; empty when nothing is. The schema must not change afterwards. */
  complaints(schema: object, value: unknown): string[] {
    const validate = this.#compiled.get(schema) ?? this.#compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = 'is not valid', params }) => {
      const name = instancePath.slice(1).replaceAll('/', '.');
      const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : '';
      return `${name === '' ? 'params' : `params.${name}`} ${message}${extra}`;
    });
  }

  #compile(schema: object): ValidateFunction {
    this.#ajv ??= new Ajv2020({ allErrors: true, strict: false, logger: false, addUsedSchema: false });
    // Whatever dialect it says it is written in: the keywords that tools use mean the same in all of them.
    const { $schema: _, ...rules } = schema as Record<string, unknown>;
    const validate = this.#ajv.compile(rules);
    this.#compiled.set(schema, validate);
    return validate;
  }
}
