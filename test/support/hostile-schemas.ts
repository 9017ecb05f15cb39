/* eslint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
/** The schema of the param `a`, and a value for it. */
export interface Hostile {
  schema: object;
  a: unknown;
}

export const many = <T>(count: number, each: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => each(i));

/** Members whose names are numbered. */
const members = (count: number, each: (index: number) => unknown, prefix = 'n') =>
  Object.fromEntries(many(count, (i) => [`${prefix}${i}`, each(i)]));

/** As many as fit into a schema of 100 000 characters. */
const filled = <T>(each: (index: number) => T, characters = 96_000): T[] => {
  const all: T[] = [];
  for (let size = 0; ;) {
    const one = each(all.length);
    size += JSON.stringify(one).length + 1;
    if (size > characters) return all;
    all.push(one);
  }
};
const filledMembers = (each: (index: number) => unknown, prefix = 'n', characters = 96_000) =>
  Object.fromEntries(filled((i) => [`${prefix}${i}`, each(i)] as const, characters));

const all = (each: (index: number) => object): object => ({ allOf: filled(each) });
const nested = (levels: number, outer: (inner: unknown) => unknown, core: unknown): unknown =>
  many(levels, () => 0).reduce<unknown>((inner) => outer(inner), core);

const NUMBERS = () => many(450_000, () => 1);
const LISTS = () => many(300_000, () => []);
const OBJECTS = () => many(300_000, () => ({}));
const TEXTS = () => many(190_000, () => 'aa');
const MEMBERS = () => members(9000, () => 1);
const EMOJI = '😀'.repeat(220_000);
const LONG = 'ab'.repeat(480_000);

/** Schemas and values that make the keyword cost as much as it can. */
export const HOSTILE: Readonly<Record<string, readonly (() => Hostile)[]>> = {
  maxLength: [
    () => ({ schema: { allOf: many(2000, () => ({ maxLength: 220_000 })) }, a: EMOJI }),
    () => ({ schema: all((maxLength) => ({ maxLength })), a: EMOJI }),
    () => ({ schema: { items: { maxLength: 1 } }, a: TEXTS() }),
    () => ({ schema: { items: all(() => ({ maxLength: 9 })) }, a: TEXTS() }),
    () => ({ schema: { maxLength: 900_000 }, a: LONG }),
  ],
  minLength: [
    () => ({ schema: all(() => ({ minLength: 1 })), a: EMOJI }),
    () => ({ schema: { items: { anyOf: filled((i) => ({ minLength: i + 100 })) } }, a: TEXTS() }),
  ],
  pattern: [
    () => ({ schema: all((i) => ({ pattern: `(a|b|c)*d${i}` })), a: LONG }),
    () => ({ schema: { pattern: '(a|b|c)*d' }, a: LONG }),
    () => ({ schema: { pattern: '(\\w{1,9}){1,60}$' }, a: LONG }),
    () => ({ schema: { pattern: '^😀+$' }, a: EMOJI }),
    () => ({ schema: all((i) => ({ pattern: `^a${i}` })), a: 'b' }),
    () => ({ schema: all((i) => ({ pattern: `\\p{L}${i}` })), a: 'b' }),
    () => ({ schema: { items: { pattern: '^a+$' } }, a: TEXTS() }),
    () => ({ schema: { items: { pattern: 'b$' } }, a: TEXTS() }),
  ],
  format: [() => ({ schema: all(() => ({ format: 'email' })), a: LONG })],
  maximum: [
    () => ({ schema: { items: all((maximum) => ({ maximum })) }, a: NUMBERS() }),
    () => ({ schema: { items: { maximum: 0 } }, a: NUMBERS() }),
  ],
  minimum: [() => ({ schema: { items: all((minimum) => ({ minimum })) }, a: NUMBERS() })],
  exclusiveMaximum: [
    () => ({ schema: { items: all((exclusiveMaximum) => ({ exclusiveMaximum })) }, a: NUMBERS() }),
  ],
  exclusiveMinimum: [
    () => ({ schema: { items: all((exclusiveMinimum) => ({ exclusiveMinimum })) }, a: NUMBERS() }),
  ],
  multipleOf: [
    () => ({ schema: { items: { multipleOf: 1e-7 } }, a: many(120_000, () => 1e300) }),
    () => ({ schema: { items: all(() => ({ multipleOf: 1e-7 })) }, a: many(90_000, (i) => i + 0.5) }),
    () => ({ schema: all(() => ({ multipleOf: 3 })), a: 1e300 }),
  ],
  maxProperties: [
    () => ({ schema: all(() => ({ maxProperties: 0 })), a: MEMBERS() }),
    () => ({ schema: { items: { maxProperties: 0 } }, a: OBJECTS() }),
  ],
  minProperties: [() => ({ schema: { allOf: many(4000, () => ({ minProperties: 1 })) }, a: MEMBERS() })],
  required: [
    () => ({ schema: { allOf: many(60, () => ({ required: many(190, (i) => `n${i}`) })) }, a: {} }),
    () => ({ schema: { items: { required: filled((i) => `n${i}`) } }, a: OBJECTS() }),
    () => ({ schema: { required: filled((i) => `n${i}`) }, a: {} }),
    () => ({ schema: { items: { anyOf: [{ required: filled((i) => `n${i}`) }, {}] } }, a: OBJECTS() }),
    () => ({ schema: { items: { required: ['a'] } }, a: OBJECTS() }),
  ],
  maxItems: [
    () => ({ schema: { items: all((maxItems) => ({ maxItems })) }, a: LISTS() }),
    () => ({ schema: { items: { maxItems: 0 } }, a: LISTS() }),
  ],
  minItems: [() => ({ schema: { items: all((minItems) => ({ minItems })) }, a: LISTS() })],
  uniqueItems: [
    () => ({ schema: all(() => ({ uniqueItems: true })), a: many(60_000, (b) => ({ b })) }),
    () => ({ schema: { uniqueItems: true }, a: many(80_000, (b) => ({ b })) }),
    () => ({ schema: { uniqueItems: true }, a: many(140_000, (i) => i) }),
    () => ({ schema: { uniqueItems: true }, a: many(9, (i) => `${i}${'x'.repeat(100_000)}`) }),
    () => ({ schema: { uniqueItems: true }, a: many(9, (i) => members(8000, () => i)) }),
    () => ({ schema: { uniqueItems: true }, a: [nested(90, (inner) => [inner, 1], []), 1] }),
  ],
  type: [
    () => ({ schema: { items: { type: 'string' } }, a: NUMBERS() }),
    () => ({ schema: { items: all(() => ({ type: ['string', 'null', 'object'] })) }, a: NUMBERS() }),
  ],
  nullable: [
    () => ({
      schema: { items: all(() => ({ type: 'string', nullable: true })) },
      a: many(190_000, () => null),
    }),
  ],
  const: [
    () => ({ schema: { allOf: many(3000, (i) => ({ const: [i] })) }, a: NUMBERS() }),
    () => ({ schema: { items: { const: MEMBERS() } }, a: many(9, () => MEMBERS()) }),
    () => ({
      schema: { items: { anyOf: many(200, (i) => ({ const: [...many(200, () => 1), i] })) } },
      a: many(2000, (i) => [...many(200, () => 1), i + 200]),
    }),
    () => ({ schema: { items: { const: { a: 1 } } }, a: many(100_000, () => ({ b: 1 })) }),
  ],
  enum: [
    () => ({ schema: { items: { enum: filled((e) => ({ e })) } }, a: many(50_000, (i) => ({ e: `${i}` })) }),
    () => ({ schema: { items: { enum: filled((i) => `e${i}`) } }, a: TEXTS() }),
    () => ({ schema: { enum: filled((i) => `e${i}`) }, a: 'x' }),
    () => ({ schema: { items: { enum: many(9, (i) => `e${i}`) } }, a: TEXTS() }),
    () => ({ schema: { enum: [{ a: 'x'.repeat(95_000) }] }, a: { a: 'x'.repeat(95_000) } }),
  ],
  not: [
    () => ({ schema: { items: all(() => ({ not: { minimum: 0 } })) }, a: NUMBERS() }),
    () => ({ schema: nested(90, (not) => ({ not }), { minimum: 1 }) as object, a: NUMBERS() }),
    () => ({ schema: { items: nested(80, (not) => ({ not }), { minimum: 1 }) }, a: NUMBERS() }),
  ],
  anyOf: [
    () => ({ schema: { items: { anyOf: [...many(900, (i) => ({ minLength: i + 100 })), {}] } }, a: TEXTS() }),
    () => ({ schema: { items: { anyOf: filled((i) => ({ minimum: i + 9 })) } }, a: NUMBERS() }),
    () => ({ schema: { items: { anyOf: [{ minimum: 9 }, { type: 'string' }] } }, a: NUMBERS() }),
  ],
  oneOf: [
    () => ({ schema: { items: { oneOf: filled(() => ({ maximum: 9 })) } }, a: NUMBERS() }),
    () => ({ schema: { items: { oneOf: [{ minimum: 9 }, { type: 'string' }] } }, a: NUMBERS() }),
  ],
  allOf: [
    () => ({ schema: { items: all((i) => ({ minimum: i + 9 })) }, a: NUMBERS() }),
    () => ({ schema: all((i) => ({ minimum: i + 9 })), a: 1 }),
    () => ({ schema: nested(45, (inner) => ({ allOf: [inner] }), { minimum: 1 }) as object, a: 0 }),
  ],
  then: [() => ({ schema: all(() => ({ then: { minimum: 0 } })), a: 1 })],
  else: [() => ({ schema: { items: { if: { minimum: 9 }, else: { minimum: 1 } } }, a: NUMBERS() })],
  if: [
    () => ({ schema: { items: all((i) => ({ if: { minimum: i }, then: { maximum: 0 } })) }, a: NUMBERS() }),
    () => ({ schema: { items: all((i) => ({ if: { minimum: i }, else: { maximum: 0 } })) }, a: NUMBERS() }),
    () => ({ schema: all(() => ({ if: { minimum: 0 }, then: { maximum: 0 } })), a: 1 }),
  ],
  propertyNames: [
    () => ({
      schema: { propertyNames: { anyOf: [...many(900, (i) => ({ const: `e${i}` })), {}] } },
      a: MEMBERS(),
    }),
    () => ({ schema: { propertyNames: { enum: filled((i) => `e${i}`) } }, a: MEMBERS() }),
    () => ({ schema: { propertyNames: { maxLength: 1 } }, a: members(9900, () => 1) }),
    () => ({ schema: { propertyNames: { maxLength: 9 } }, a: members(9900, () => 1) }),
  ],
  additionalProperties: [
    () => ({
      schema: { patternProperties: members(1500, () => true, 'k'), additionalProperties: false },
      a: {},
    }),
    () => ({
      schema: { properties: filledMembers(() => true, 'k'), additionalProperties: false },
      a: members(9900, () => 1),
    }),
    () => ({ schema: { additionalProperties: false }, a: members(9900, () => 1) }),
    () => ({ schema: { additionalProperties: { type: 'string' } }, a: members(9900, () => 1) }),
    () => ({ schema: { additionalProperties: { type: 'integer' } }, a: members(9900, () => 1) }),
    () => ({ schema: { items: { additionalProperties: false } }, a: many(90_000, () => ({ b: 1 })) }),
  ],
  dependencies: [
    () => ({ schema: { dependencies: { n0: filled((i) => `n${i}`) } }, a: { n0: 1 } }),
    () => ({ schema: { dependencies: filledMembers(() => ({ minProperties: 1 })) }, a: MEMBERS() }),
    () => ({ schema: { dependencies: filledMembers(() => ['b']) }, a: MEMBERS() }),
  ],
  properties: [
    () => ({ schema: { properties: filledMembers(() => ({ type: 'string' })) }, a: MEMBERS() }),
    () => ({ schema: { items: { properties: filledMembers(() => ({ type: 'string' })) } }, a: OBJECTS() }),
    () => ({
      schema: nested(40, (b) => ({ properties: { b } }), {}) as object,
      a: nested(40, (b) => ({ b }), 1),
    }),
  ],
  patternProperties: [
    () => ({ schema: { patternProperties: members(500, () => false, 'k') }, a: MEMBERS() }),
    () => ({ schema: { patternProperties: filledMembers(() => false, 'k') }, a: {} }),
    () => ({ schema: { patternProperties: { '^n': false } }, a: members(9900, () => 1) }),
    () => ({ schema: { patternProperties: { '^n': { type: 'integer' } } }, a: members(9900, () => 1) }),
  ],
  prefixItems: [
    () => ({ schema: { prefixItems: filled((maximum) => ({ maximum })) }, a: NUMBERS() }),
    () => ({ schema: { items: { prefixItems: filled(() => ({ maximum: 0 })) } }, a: LISTS() }),
  ],
  items: [
    () => ({ schema: all(() => ({ items: { minimum: 0 } })), a: NUMBERS() }),
    () => ({ schema: { items: { minimum: 0 } }, a: NUMBERS() }),
    () => ({ schema: { items: false }, a: NUMBERS() }),
    () => ({ schema: { items: { items: { items: { minimum: 0 } } } }, a: many(90_000, () => [[0]]) }),
    () => ({ schema: nested(90, (items) => ({ items }), {}) as object, a: [] }),
  ],
  contains: [
    () => ({ schema: all((i) => ({ contains: { minimum: i + 9 } })), a: NUMBERS() }),
    () => ({ schema: { contains: { minimum: 9 } }, a: NUMBERS() }),
    () => ({ schema: { contains: { minimum: 9 }, unevaluatedItems: false }, a: NUMBERS() }),
    () => ({ schema: { items: { contains: { minimum: 9 } } }, a: LISTS() }),
  ],
  minContains: [
    () => ({ schema: all(() => ({ contains: { minimum: 0 }, minContains: 400_000 })), a: NUMBERS() }),
  ],
  maxContains: [
    () => ({ schema: all(() => ({ contains: { minimum: 0 }, maxContains: 900_000 })), a: NUMBERS() }),
    () => ({ schema: { contains: { minimum: 0 }, maxContains: 900_000 }, a: NUMBERS() }),
  ],
  dependentRequired: [
    () => ({ schema: { dependentRequired: { n0: many(6000, (i) => `n${i}`) } }, a: { n0: 1 } }),
    () => ({ schema: { dependentRequired: filledMembers(() => ['b']) }, a: MEMBERS() }),
    () => ({ schema: { items: { dependentRequired: filledMembers(() => ['b']) } }, a: OBJECTS() }),
  ],
  dependentSchemas: [
    () => ({ schema: { dependentSchemas: filledMembers(() => ({ minProperties: 1 })) }, a: MEMBERS() }),
    () => ({ schema: { dependentSchemas: filledMembers(() => false) }, a: MEMBERS() }),
  ],
  unevaluatedProperties: [
    () => ({
      schema: { unevaluatedProperties: false, anyOf: filled((i) => ({ properties: { [`n${i}`]: true } })) },
      a: MEMBERS(),
    }),
    () => ({
      schema: {
        unevaluatedProperties: false,
        allOf: filled((i) => ({
          if: { properties: { [`a${i}`]: true } },
          then: { properties: { [`b${i}`]: true } },
        })),
      },
      a: MEMBERS(),
    }),
    () => ({ schema: { unevaluatedProperties: false }, a: members(9900, () => 1) }),
    () => ({ schema: { unevaluatedProperties: { type: 'string' } }, a: members(9900, () => 1) }),
    () => ({
      schema: { properties: filledMembers(() => true, 'k'), unevaluatedProperties: false },
      a: MEMBERS(),
    }),
  ],
  unevaluatedItems: [
    () => ({ schema: all(() => ({ contains: { minimum: 9 }, unevaluatedItems: false })), a: NUMBERS() }),
    () => ({
      schema: { anyOf: filled((i) => ({ contains: { minimum: i + 9 } })), unevaluatedItems: false },
      a: NUMBERS(),
    }),
    () => ({
      schema: {
        anyOf: many(40, (i) => ({ prefixItems: many(i + 1, () => true) })),
        unevaluatedItems: { minimum: 9 },
      },
      a: NUMBERS(),
    }),
    () => ({ schema: { unevaluatedItems: { minimum: 0 } }, a: NUMBERS() }),
    () => ({ schema: { unevaluatedItems: { minimum: 9 } }, a: NUMBERS() }),
  ],
  $ref: [
    () => ({
      schema: {
        $defs: { large: { properties: filledMembers(() => ({ type: 'string' }), 'p', 40_000) } },
        properties: filledMembers(() => ({ $ref: '#/$defs/large' }), 'n', 50_000),
      },
      a: members(1000, () => ({})),
    }),
    () => ({ schema: { $defs: { n: { minimum: 9 } }, items: { $ref: '#/$defs/n' } }, a: NUMBERS() }),
    () => ({ schema: { $defs: { n: { minimum: 0 } }, items: { $ref: '#/$defs/n' } }, a: NUMBERS() }),
    () => ({
      schema: {
        $defs: {
          ...members(60, (i) => ({ allOf: [{ $ref: `#/$defs/n${i + 1}` }, { $ref: `#/$defs/n${i + 1}` }] })),
          n60: {},
        },
        $ref: '#/$defs/n0',
      },
      a: 1,
    }),
    () => ({
      schema: {
        $defs: filledMembers((i) => (i === 0 ? {} : { $ref: `#/$defs/n${i - 1}` })),
        $ref: '#/$defs/n900',
      },
      a: 1,
    }),
    () => ({ schema: { $defs: { n: { minimum: 0 } }, ...all(() => ({ $ref: '#/$defs/n' })) }, a: 1 }),
    () => ({
      schema: {
        $defs: filledMembers((i) => ({ maximum: i }), 'n', 70_000),
        allOf: many(900, (i) => ({ $ref: `#/$defs/n${i}` })),
      },
      a: 1,
    }),
    () => ({ schema: { $ref: `#/${'a/'.repeat(40_000)}` }, a: 1 }),
  ],
  $dynamicRef: [
    () => ({
      schema: {
        $dynamicAnchor: 'n',
        type: 'array',
        items: { anyOf: [{ $dynamicRef: '#n' }, { $dynamicRef: '#n' }] },
      },
      a: nested(40, (inner) => [inner], 'a'),
    }),
    () => ({
      schema: { $dynamicAnchor: 'n', items: { $dynamicRef: '#n' }, maximum: 0 },
      a: NUMBERS(),
    }),
  ],
  $dynamicAnchor: [
    () => ({
      schema: { $defs: filledMembers((i) => ({ $dynamicAnchor: `m${i}` })), $dynamicRef: '#m9' },
      a: 1,
    }),
    () => ({ schema: all((i) => ({ $dynamicAnchor: `m${i}` })), a: 1 }),
  ],
  $recursiveRef: [
    () => ({
      schema: { type: 'array', items: { anyOf: [{ $recursiveRef: '#' }, { $recursiveRef: '#' }] } },
      a: nested(40, (inner) => [inner], 'a'),
    }),
  ],
  $recursiveAnchor: [() => ({ schema: all(() => ({ $recursiveAnchor: true })), a: 1 })],
  $id: [
    () => ({ schema: all((i) => ({ $id: `https://a.example/${i}` })), a: 1 }),
    () => ({ schema: nested(90, (inner) => ({ $id: 'b/', not: inner }), {}) as object, a: 1 }),
  ],
  $anchor: [() => ({ schema: { $defs: filledMembers((i) => ({ $anchor: `m${i}` })), $ref: '#m9' }, a: 1 })],
  $defs: [
    () => ({ schema: { $defs: filledMembers(() => ({})) }, a: 1 }),
    () => ({ schema: nested(40, (n) => ({ $defs: { n } }), {}) as object, a: 1 }),
  ],
  definitions: [() => ({ schema: { definitions: filledMembers(() => ({ type: 'string' })) }, a: 1 })],
  $schema: [
    () => ({ schema: all(() => ({ $schema: 'https://json-schema.org/draft/2020-12/schema' })), a: 1 }),
  ],
  $vocabulary: [() => ({ schema: { $vocabulary: filledMembers(() => true, 'https://a.example/') }, a: 1 })],
  $comment: [() => ({ schema: all(() => ({ $comment: 'x' })), a: 1 })],
  title: [() => ({ schema: all(() => ({ title: 'x' })), a: 1 })],
  description: [() => ({ schema: { description: 'x'.repeat(95_000) }, a: 1 })],
  default: [() => ({ schema: { default: nested(90, (inner) => [inner], 1) }, a: 1 })],
  deprecated: [() => ({ schema: all(() => ({ deprecated: true })), a: 1 })],
  readOnly: [() => ({ schema: all(() => ({ readOnly: true })), a: 1 })],
  writeOnly: [() => ({ schema: all(() => ({ writeOnly: true })), a: 1 })],
  examples: [() => ({ schema: { examples: many(40_000, () => 1) }, a: 1 })],
  contentMediaType: [() => ({ schema: all(() => ({ contentMediaType: 'a/b' })), a: LONG })],
  contentEncoding: [() => ({ schema: all(() => ({ contentEncoding: 'base64' })), a: LONG })],
  contentSchema: [() => ({ schema: all(() => ({ contentSchema: { minLength: 1 } })), a: LONG })],
};
