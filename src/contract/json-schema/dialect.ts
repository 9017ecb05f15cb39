/* eslint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import { isObject } from '@understudy/text/json';
import { TYPE_NAMES } from './assertions.ts';

/** What a keyword may have as its value. Says what it must be if it is something else. */
type Shape = (value: unknown) => string | undefined;

const shape =
  (isFit: (value: unknown) => boolean, wanted: string): Shape =>
  (value) =>
    isFit(value) ? undefined : wanted;

const isSchema = (value: unknown) => isObject(value) || typeof value === 'boolean';
const isText = (value: unknown) => typeof value === 'string';
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isMapOf = (isFit: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && Object.values(value).every(isFit);

const ANYTHING: Shape = () => undefined;
const TEXT = shape(isText, 'must be string');
const FLAG = shape((value) => typeof value === 'boolean', 'must be boolean');
const NUMBER = shape((value) => typeof value === 'number', 'must be number');
const LIST = shape(Array.isArray, 'must be array');
const COUNT = shape((value) => Number.isInteger(value) && Number(value) >= 0, 'must be an integer >= 0');
const SCHEMA = shape(isSchema, 'must be object,boolean');
const SCHEMAS = shape(
  (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  'must be a list of one or more schemas',
);
const SCHEMAS_BY_NAME = shape(isMapOf(isSchema), 'must be an object whose members are schemas');
const NAMES = shape(isNames, 'must be a list of different strings');
const NAMES_BY_NAME = shape(
  isMapOf(isNames),
  'must be an object whose members are lists of different strings',
);
const NAME = shape(
  (value) => typeof value === 'string' && /^[A-Za-z_][\w.-]*$/.test(value),
  'must be a name of letters, digits, and the characters - . _',
);
const ID = shape(
  (value) => typeof value === 'string' && /^[^#]*#?$/.test(value),
  'must be an address without a fragment',
);
const isTypeName = (value: unknown) => TYPE_NAMES.includes(value as string);

/** The keywords of JSON Schema 2020-12 and of older versions, except `format`, which only describes. */
export const KEYWORDS: ReadonlyMap<string, Shape> = new Map(
  Object.entries({
    $id: ID,
    $schema: TEXT,
    $ref: TEXT,
    $anchor: NAME,
    $dynamicRef: TEXT,
    $dynamicAnchor: NAME,
    $recursiveRef: TEXT,
    $recursiveAnchor: ANYTHING,
    $vocabulary: ANYTHING,
    $comment: TEXT,
    $defs: SCHEMAS_BY_NAME,
    definitions: SCHEMAS_BY_NAME,
    type: shape(
      (value) => isTypeName(value) || (isNames(value) && value.length > 0 && value.every(isTypeName)),
      `must be one of ${TYPE_NAMES.join(', ')}, or a list of several`,
    ),
    nullable: FLAG,
    const: ANYTHING,
    enum: LIST,
    not: SCHEMA,
    anyOf: SCHEMAS,
    oneOf: SCHEMAS,
    allOf: SCHEMAS,
    if: SCHEMA,
    then: SCHEMA,
    else: SCHEMA,
    maximum: NUMBER,
    minimum: NUMBER,
    exclusiveMaximum: NUMBER,
    exclusiveMinimum: NUMBER,
    multipleOf: shape((value) => typeof value === 'number' && value > 0, 'must be a number > 0'),
    maxLength: COUNT,
    minLength: COUNT,
    pattern: TEXT,
    format: TEXT,
    maxItems: COUNT,
    minItems: COUNT,
    prefixItems: SCHEMAS,
    items: SCHEMA,
    contains: SCHEMA,
    minContains: COUNT,
    maxContains: COUNT,
    uniqueItems: FLAG,
    unevaluatedItems: SCHEMA,
    maxProperties: COUNT,
    minProperties: COUNT,
    required: NAMES,
    propertyNames: SCHEMA,
    properties: SCHEMAS_BY_NAME,
    patternProperties: SCHEMAS_BY_NAME,
    additionalProperties: SCHEMA,
    dependencies: shape(
      isMapOf((value) => isSchema(value) || isNames(value)),
      'must be an object whose members are schemas or lists of different strings',
    ),
    dependentRequired: NAMES_BY_NAME,
    dependentSchemas: SCHEMAS_BY_NAME,
    unevaluatedProperties: SCHEMA,
    title: TEXT,
    description: TEXT,
    default: ANYTHING,
    deprecated: FLAG,
    readOnly: FLAG,
    writeOnly: FLAG,
    examples: LIST,
    contentMediaType: TEXT,
    contentEncoding: TEXT,
    contentSchema: SCHEMA,
  }),
);
