import type { Schema } from './compiled.ts';
import type { UnknownField } from './unknown-field.ts';

export interface ReadJson {
  value: unknown;
  /** Members that the document does not name; they are dropped from the value. */
  unknown: UnknownField[];
}

/**
 * Reads a request body as the service's JSON mapping does (protojson): `null` is absent, lowerCamelCase names are
 * accepted beside snake_case, members that no schema names are dropped. Free JSON is left as it is.
 */
export function readProtoJson(value: unknown, schema: Schema, schemas: Record<string, Schema>): ReadJson {
  const unknown: UnknownField[] = [];
  return { value: read(value, schema, ''), unknown };

  function read(at: unknown, written: Schema, path: string): unknown {
    const shape = written.$ref ? (schemas[written.$ref.slice('schema:'.length)] ?? {}) : written;
    if (Array.isArray(at))
      return shape.items
        ? at.map((item, i) => (isScalar(item) ? item : read(item, shape.items!, `${path}[${i}]`)))
        : at;
    if (typeof at !== 'object' || at === null || shape['x-free-json']) return at;
    if (typeof shape.additionalProperties === 'object') return readMap(at, shape.additionalProperties, path);
    const isClosed = shape.properties !== undefined || shape.additionalProperties === false;
    return isClosed ? withPresence(readObject(at, shape.properties ?? {}, path), shape) : at;
  }

  function readObject(at: object, properties: Record<string, Schema>, path: string): Record<string, unknown> {
    const kept: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(at)) {
      const name = Object.hasOwn(properties, key) ? key : snakeCase(key);
      const where = path === '' ? key : `${path}.${key}`;
      if (!Object.hasOwn(properties, name))
        unknown.push({ field: where, name: key, known: () => Object.keys(properties) });
      else if (member !== null) kept[name] = read(member, properties[name]!, where);
    }
    return kept;
  }

  function readMap(at: object, values: Schema, path: string): Record<string, unknown> {
    const present = Object.entries(at).filter(([, member]) => member !== null);
    return Object.fromEntries(
      present.map(([key, member]) => [
        key,
        isScalar(member) ? member : read(member, values, `${path}["${key}"]`),
      ]),
    );
  }
}

/** Nothing in it can be unknown. */
const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

/** Protobuf has no empty text or list: a required member that is empty is missing, and an implicit one is there. */
function withPresence(value: Record<string, unknown>, { properties = {}, required = [] }: Schema) {
  for (const name of required) {
    const { type, 'x-implicit': isImplicit } = properties[name] ?? {};
    if (isImplicit) value[name] ??= type === 'array' ? [] : '';
    else if (isEmpty(value[name])) delete value[name];
  }
  return value;
}

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
