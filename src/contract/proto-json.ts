import type { Schema } from './compiled.ts';
import { wantedFormat, type LooseValue } from './loose-formats.ts';
import type { UnknownField } from './types.ts';
import { MAX_ERRORS } from './violations.ts';

interface ReadJson {
  value: unknown;
  /** The first members that the document does not name; all of them are dropped from the value. */
  unknown: UnknownField[];
  loose: LooseValue[];
}

/**
 * Reads a request body as the service's JSON mapping does (protojson): `null` is absent, lowerCamelCase names are
 * accepted beside snake_case, members that no schema names are dropped. Free JSON is left as it is.
 */
export function readProtoJson(
  value: unknown,
  schema: Schema,
  { schemas, isMessage = false }: { schemas: Record<string, Schema>; isMessage?: boolean | undefined },
): ReadJson {
  const reader = new BodyReader(schemas, isMessage);
  return { value: reader.read(value, schema, ''), unknown: reader.unknown, loose: reader.loose };
}

class BodyReader {
  readonly unknown: UnknownField[] = [];
  readonly loose: LooseValue[] = [];
  readonly #schemas: Record<string, Schema>;
  readonly #isMessage: boolean;
  /** A list may have very many objects of one shape. */
  readonly #names = new Map<Schema, Names>();

  constructor(schemas: Record<string, Schema>, isMessage: boolean) {
    this.#schemas = schemas;
    this.#isMessage = isMessage;
  }

  read(at: unknown, written: Schema, path: string): unknown {
    const shape = written.$ref ? (this.#schemas[written.$ref.slice('schema:'.length)] ?? {}) : written;
    const { items, properties, additionalProperties } = shape;
    if (Array.isArray(at))
      return items ? at.map((item, i) => this.#inner(item, items, () => `${path}[${i}]`)) : at;
    if (typeof at !== 'object' || at === null || shape['x-free-json']) return at;
    if (typeof additionalProperties === 'object') return this.#readMap(at, additionalProperties, path);
    const isClosed = properties !== undefined || additionalProperties === false;
    if (!isClosed) return at;
    const read = withPresence(this.#readObject(at, this.#namesIn(shape), path), shape);
    return this.#isMessage ? withFalse(read, shape) : read;
  }

  #namesIn(shape: Schema): Names {
    const known = this.#names.get(shape) ?? namesIn(shape);
    this.#names.set(shape, known);
    return known;
  }

  /** `nameOf`: the name of a member that no property has as it is written. */
  #readObject(at: object, { properties, nameOf, patterns }: Names, path: string): Record<string, unknown> {
    const kept: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(at)) {
      const name = Object.hasOwn(properties, key) ? key : nameOf(key);
      const where = () => (path === '' ? key : `${path}.${key}`);
      const isFree = !Object.hasOwn(properties, name) && patterns.some((pattern) => pattern.test(key));
      if (isFree) kept[key] = member;
      else if (!Object.hasOwn(properties, name)) this.#noteUnknown(where, key, properties);
      else if (member !== null) kept[name] = this.#inner(member, properties[name]!, where);
    }
    return kept;
  }

  #noteUnknown(field: () => string, name: string, properties: object): void {
    if (this.unknown.length < MAX_ERRORS)
      this.unknown.push({ field: field(), name, known: () => Object.keys(properties) });
  }

  #readMap(at: object, values: Schema, path: string): Record<string, unknown> {
    const present = Object.entries(at).filter(([, member]) => member !== null);
    return Object.fromEntries(
      present.map(([key, member]) => [key, this.#inner(member, values, () => `${path}["${key}"]`)]),
    );
  }

  /** Most members are scalars, whose path nobody needs. */
  #inner(member: unknown, schema: Schema, path: () => string): unknown {
    if (!isScalar(member)) return this.read(member, schema, path());
    const wanted = wantedFormat(member, schema);
    if (wanted !== undefined && this.loose.length < MAX_ERRORS) this.loose.push({ field: path(), wanted });
    return member;
  }
}

interface Names {
  properties: Record<string, Schema>;
  nameOf: (key: string) => string;
  /** Of members that no property names and that are kept. */
  patterns: readonly RegExp[];
}

function namesIn({ properties = {}, patternProperties = {}, 'x-any-case': anyCase }: Schema): Names {
  const nameOf = anyCase ? anyCaseName(properties) : snakeCase;
  return { properties, nameOf, patterns: Object.keys(patternProperties).map((each) => new RegExp(each)) };
}

function anyCaseName(properties: Record<string, Schema>): (key: string) => string {
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  return (key) => names.get(key.toLowerCase()) ?? key;
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

/** A message of gRPC cannot tell `false` from a missing boolean. */
function withFalse(value: Record<string, unknown>, { properties = {}, required = [] }: Schema) {
  for (const name of required) if (properties[name]?.type === 'boolean') value[name] ??= false;
  return value;
}

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
