// Turns scenarios/scenario.schema.json into the TypeScript types of a scenario that a test writes as an object.
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const PLACEHOLDER = String.raw`^\$\{[^{}]*\}$`;
const DURATION = '^[0-9]+';

const IMPORTS = "import type { DurationText, Placeholder, RulePattern } from './name-patterns.ts';\n\n";

/** The text of src/contract/scenario.gen.ts. */
export async function scenarioTypes() {
  const { $defs, ...root } = JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8'));
  const schemas = { ...propertiesOf({ Scenario: root, ...$defs }), ...patternsIn($defs) };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Scenario', version: '1' },
    paths: {},
    components: { schemas },
  };
  const tree = await openapiTS(document, {
    immutable: true,
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    transform: (schema) => schema['x-ts'] && ts.factory.createTypeReferenceNode(schema['x-ts']),
  });
  return IMPORTS + astToString(tree);
}

const reference = (name) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas that have a type of their own. */
function patternsIn({ on }) {
  const anyOf = [
    reference('rulePattern'),
    { type: 'array', items: reference('rulePattern') },
    { type: 'object', properties: propertiesOf(on.properties) },
  ];
  return {
    placeholder: { 'x-ts': 'Placeholder' },
    duration: { 'x-ts': 'DurationText | Placeholder' },
    rulePattern: { 'x-ts': 'RulePattern' },
    on: { anyOf },
    do: { anyOf: [reference('changes'), { type: 'array', items: reference('changes') }] },
  };
}

const propertiesOf = (schemas) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, typed(schema)]));

/** Conditions, and which members exclude each other: no TypeScript type says them. */
const UNSAID = ['oneOf', 'allOf', 'anyOf', 'if', 'then', 'else', 'not'];

/** A schema as `openapi-typescript` takes it. */
function typed(schema) {
  const { type, pattern = '', properties, items, anyOf, additionalProperties, title } = schema;
  if (schema.$ref) return { ...schema, $ref: schema.$ref.replace('#/$defs/', '#/components/schemas/') };
  if (title === 'Do') return reference('do');
  if (pattern.endsWith(PLACEHOLDER)) return withPlaceholder(schema);
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !UNSAID.includes(key)));
  const alternatives = anyOf?.some(({ $ref, type, enum: values }) => $ref ?? type ?? values);
  return {
    ...rest,
    ...(properties && { properties: propertiesOf(properties) }),
    ...(items && { items: typed(items) }),
    ...(alternatives && { anyOf: anyOf.map(typed) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: typed(additionalProperties) }),
    ...(type === 'object' && !properties && !additionalProperties && { additionalProperties: true }),
  };
}

/** A text of its own form, or a placeholder for it. */
function withPlaceholder({ type, pattern, ...schema }) {
  const text =
    pattern === PLACEHOLDER
      ? reference('placeholder')
      : pattern.startsWith(DURATION)
        ? reference('duration')
        : { type: 'string' };
  const others = [type].flat().filter((each) => each !== 'string');
  return {
    description: schema.description,
    anyOf: [text, ...others.map((each) => typed({ ...schema, type: each }))],
  };
}
