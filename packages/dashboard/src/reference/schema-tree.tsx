import { useState } from 'preact/hooks';
import type { DocumentName, SchemaPart } from '../server/reference/shapes.ts';
import { plainText } from '@understudy/text/json';
import { Prose } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { choicesOf } from './sample.ts';

type Schemas = Readonly<Record<string, SchemaPart>>;

const PREFIX = '#/components/schemas/';
const nameOf = ({ $ref }: SchemaPart): string | undefined => $ref?.slice(PREFIX.length);

interface TreeProps {
  schema: SchemaPart;
  schemas: Schemas;
  document: DocumentName;
}

/** A schema as a list of its fields. What a field holds is shown when it is opened, so a schema may hold itself. */
export function SchemaTree({ schema, schemas, document }: TreeProps) {
  const resolved = resolve(schema, schemas);
  const fields = fieldsOf(resolved, schemas);
  return (
    <>
      <p class="kind">
        <Kind schema={schema} document={document} />
        <Rules schema={resolved} />
      </p>
      {fields.length > 0 && (
        <ul class="plain fields">
          {fields.map((field) => (
            <FieldLine key={field.name} field={field} schemas={schemas} document={document} />
          ))}
        </ul>
      )}
    </>
  );
}

interface SchemaField {
  name: string;
  schema: SchemaPart;
  isRequired: boolean;
}

interface FieldProps extends Omit<TreeProps, 'schema'> {
  field: SchemaField;
}

function FieldLine({ field: { name, schema, isRequired }, schemas, document }: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const resolved = resolve(schema, schemas);
  const description = schema.description ?? resolved.description;
  const inner = innerOf(resolved, schemas);
  const head = (
    <>
      <code class="name">{name}</code> <span class="faint">{kindOf(schema)}</span>
      {isRequired && <span class="required"> required</span>}
    </>
  );
  const text = (
    <div class="about">
      {description !== undefined && <Prose text={description} />}
      <Rules schema={resolved} />
    </div>
  );
  if (!inner)
    return (
      <li>
        {head}
        {text}
      </li>
    );
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{head}</summary>
        {isOpen && <SchemaTree schema={inner} schemas={schemas} document={document} />}
      </details>
      {text}
    </li>
  );
}

/** What a field holds, if that has fields of its own. */
function innerOf(schema: SchemaPart, schemas: Schemas): SchemaPart | undefined {
  const { items, additionalProperties: others } = schema;
  for (const each of [schema, items, typeof others === 'object' ? others : undefined])
    if (each && fieldsOf(resolve(each, schemas), schemas).length > 0) return each;
  return undefined;
}

/** Follows references; `null` beside one other schema counts as nothing. */
function resolve(schema: SchemaPart, schemas: Schemas): SchemaPart {
  const name = nameOf(schema);
  if (name !== undefined) return resolve(schemas[name] ?? {}, schemas);
  const [only, ...others] = alternativesOf(schema).filter(({ type }) => type !== 'null');
  const isOne = only && others.length === 0 && !schema.properties && alternativesOf(schema).length > 0;
  return isOne
    ? { ...resolve(only, schemas), ...(schema.description && { description: schema.description }) }
    : schema;
}

const alternativesOf = ({ anyOf, oneOf }: SchemaPart): readonly SchemaPart[] => anyOf ?? oneOf ?? [];

/** The fields of an object, and those of its alternatives. */
function fieldsOf(schema: SchemaPart, schemas: Schemas, depth = 0): SchemaField[] {
  const { properties = {}, required = [], allOf = [] } = schema;
  const own = Object.entries(properties).map(([name, each]) => ({
    name,
    schema: each,
    isRequired: required.includes(name),
  }));
  const parts = depth < MOST_PARTS ? [...allOf, ...alternativesOf(schema)] : [];
  const more = parts.flatMap((part) => fieldsOf(resolve(part, schemas), schemas, depth + 1));
  const known = new Set(own.map(({ name }) => name));
  for (const field of more) {
    // `null` in an alternative says which field excludes which: no field of its own.
    if (known.has(field.name) || field.schema.type === 'null') continue;
    known.add(field.name);
    own.push(allOf.length > 0 ? field : { ...field, isRequired: false });
  }
  return own;
}

/** An alternative may hold the schema that it belongs to. */
const MOST_PARTS = 3;

function Kind({ schema, document }: Omit<TreeProps, 'schemas'> & { schema: SchemaPart }) {
  const name = nameOf(schema) ?? (schema.items && nameOf(schema.items));
  const text = kindOf(schema);
  if (name === undefined) return <span class="faint">{text}</span>;
  return (
    <>
      <span class="faint">{text.slice(0, -name.length)}</span>
      <a href={href('schema', document, name)}>{name}</a>
    </>
  );
}

/** Such as `list of User` or `text or null`. */
export function kindOf(schema: SchemaPart): string {
  const { type, items, additionalProperties: others, format } = schema;
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (items) return `list of ${kindOf(items)}`;
  if (typeof others === 'object' && !schema.properties) return `map of ${kindOf(others)}`;
  const alternatives = alternativesOf(schema);
  if (schema.enum?.includes(true)) return 'boolean';
  if (type === undefined && alternatives.length > 0) return alternatives.map(kindOf).join(' or ');
  const types = [type ?? []].flat().join(' or ');
  return [types || 'any value', format && `(${format})`].filter(Boolean).join(' ');
}

/** The rules for a value, in words. */
function Rules({ schema }: { schema: SchemaPart }) {
  const rules = rulesOf(schema);
  if (rules.length === 0) return null;
  return (
    <small class="faint rules">
      {rules.map(([name, value]) => (
        <span key={name}>
          {name} <code>{value}</code>
        </span>
      ))}
    </small>
  );
}

function rulesOf(schema: SchemaPart): (readonly [string, string])[] {
  const { enum: words, const: only, pattern, default: usual } = schema;
  const rules = [
    ['one of', words && choicesOf(schema).join(', ')],
    ['always', only === undefined ? undefined : plainText(only)],
    ['by default', usual === undefined ? undefined : plainText(usual)],
    ['pattern', pattern],
    ['at least', rangeText(schema.minimum)],
    ['at most', rangeText(schema.maximum)],
    ['characters, at least', rangeText(schema.minLength)],
    ['characters, at most', rangeText(schema.maxLength)],
    ['entries, at least', rangeText(schema.minItems)],
    ['entries, at most', rangeText(schema.maxItems)],
  ] as const;
  return rules.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

const rangeText = (value: number | undefined) => (value === undefined ? undefined : String(value));
