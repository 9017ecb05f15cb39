import { parseDocument } from 'yaml';
import { isObject } from '../text/json.ts';

/** A document that cannot be read. The message says where and why. */
export class DocumentError extends Error {}

/** One operation of a document, with the fields of its requests and of its successful answers. */
export interface PublishedOperation {
  /** Such as `GET /api/v1/organizations/{}`. */
  key: string;
  id: string;
  /** As the document writes it. */
  path: string;
  method: string;
  success: number | undefined;
  parameters: Fields;
  request: Fields;
  response: Fields;
}

export interface Field {
  types: string[];
  values?: unknown[];
  required: boolean;
}

/** By path, such as `organization.id`. */
export type Fields = Map<string, Field>;

export interface PublishedDocument {
  title: string;
  version: string;
  operations: Map<string, PublishedOperation>;
  /** References that were not followed, because they lead out of the document. */
  outside: Set<string>;
}

/** Characters of a document. */
const LONGEST = 20_000_000;
const MOST_FIELDS = 5000;
const DEEPEST = 12;
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

type Json = Record<string, unknown>;

/** Reads OpenAPI 3 or Swagger 2, in JSON or YAML. Nothing is fetched. Throws DocumentError. */
export function readPublishedDocument(name: string, text: string): PublishedDocument {
  if (text.length > LONGEST) throw new DocumentError(`${name}: it has more than ${LONGEST} characters`);
  return publishedDocument(name, parsed(name, text));
}

export function publishedDocument(name: string, value: unknown): PublishedDocument {
  if (!isObject(value)) throw new DocumentError(`${name}: it is not an OpenAPI document, which is an object`);
  if (typeof value['openapi'] !== 'string' && typeof value['swagger'] !== 'string')
    throw new DocumentError(`${name}: it has neither openapi nor swagger, so it is not an OpenAPI document`);
  if (!isObject(value['paths'])) throw new DocumentError(`${name}: it has no paths`);
  const info = isObject(value['info']) ? value['info'] : {};
  const reader = new DocumentReader(value);
  return {
    title: textIn(info, 'title'),
    version: textIn(info, 'version'),
    operations: reader.operations(value['paths']),
    outside: reader.outside,
  };
}

function parsed(name: string, text: string): unknown {
  try {
    const isJson = /^\s*\{/.test(text);
    if (isJson) return JSON.parse(text) as unknown;
    const document = parseDocument(text, { uniqueKeys: false });
    const [fault] = document.errors;
    if (fault) throw new Error(fault.message.split('\n', 1)[0]);
    return document.toJS({ maxAliasCount: 1000 }) as unknown;
  } catch (thrown) {
    throw new DocumentError(`${name}: ${(thrown as Error).message}`);
  }
}

const textIn = (object: Json, name: string): string => (typeof object[name] === 'string' ? object[name] : '');

/** The names of variables do not matter, nor does what only some servers put before a path. */
export const keyOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;

class DocumentReader {
  readonly outside = new Set<string>();
  readonly #document: Json;
  readonly #base: string;

  constructor(document: Json) {
    this.#document = document;
    const { basePath } = document;
    this.#base = typeof basePath === 'string' ? basePath.replace(/\/$/, '') : '';
  }

  operations(paths: Json): Map<string, PublishedOperation> {
    const found = new Map<string, PublishedOperation>();
    for (const [path, written] of Object.entries(paths)) {
      const item = this.#resolve(written);
      for (const method of METHODS) {
        const operation = item?.[method];
        if (!item || !isObject(operation)) continue;
        const read = this.#operation(method, `${this.#base}${path}`, item, operation);
        found.set(read.key, read);
      }
    }
    return found;
  }

  #operation(method: string, path: string, item: Json, operation: Json): PublishedOperation {
    const parameters: Json[] = [listIn(item, 'parameters'), listIn(operation, 'parameters')]
      .flat()
      .map((each) => this.#resolve(each))
      .filter((each) => each !== undefined);
    const body = parameters.find((each) => each['in'] === 'body');
    const content = this.#resolve(operation['requestBody'])?.['content'];
    const [success, answer] = this.#success(operation['responses']);
    return {
      key: keyOf(method, path),
      id: textIn(operation, 'operationId'),
      path,
      method: method.toUpperCase(),
      success,
      parameters: this.#parameters(parameters),
      request: this.#fieldsOf(body?.['schema'] ?? schemaIn(content)),
      response: this.#fieldsOf(answer?.['schema'] ?? schemaIn(answer?.['content'])),
    };
  }

  #success(responses: unknown): [number | undefined, Json | undefined] {
    if (!isObject(responses)) return [undefined, undefined];
    const status = Object.keys(responses).find((each) => /^[23]\d\d$/.test(each));
    return status === undefined ? [undefined, undefined] : [Number(status), this.#resolve(responses[status])];
  }

  #parameters(parameters: readonly Json[]): Fields {
    const fields: Fields = new Map();
    for (const parameter of parameters) {
      if (parameter['in'] !== 'query') continue;
      const schema = this.#resolve(parameter['schema']) ?? parameter;
      fields.set(textIn(parameter, 'name'), { ...fieldOf(schema), required: parameter['required'] === true });
    }
    return fields;
  }

  #fieldsOf(schema: unknown): Fields {
    const fields: Fields = new Map();
    this.#collect(schema, { at: '', required: false, within: [] }, fields);
    return fields;
  }

  /** Alternatives are joined: a field of one of them is a field. */
  #collect(
    written: unknown,
    place: { at: string; required: boolean; within: readonly unknown[] },
    fields: Fields,
  ): void {
    const schema = this.#resolve(written);
    const { at, within, required } = place;
    // A schema within itself has the fields that it has outside.
    if (!schema || within.includes(schema) || within.length > DEEPEST || fields.size >= MOST_FIELDS) return;
    const inside = [...within, schema];
    if (at !== '') fields.set(at, joined(fields.get(at), { ...fieldOf(schema), required }));
    for (const each of [listIn(schema, 'allOf'), listIn(schema, 'oneOf'), listIn(schema, 'anyOf')].flat())
      this.#collect(each, { at, required, within: inside }, fields);
    const names = listIn(schema, 'required');
    for (const [name, member] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {}))
      this.#collect(
        member,
        { at: at === '' ? name : `${at}.${name}`, required: names.includes(name), within: inside },
        fields,
      );
    if (schema['items'] !== undefined)
      this.#collect(schema['items'], { at: `${at}[]`, required: true, within: inside }, fields);
  }

  /** Follows references within the document only. */
  #resolve(written: unknown): Json | undefined {
    let value = written;
    for (let steps = 0; steps < 20 && isObject(value); steps++) {
      const reference = value['$ref'];
      if (typeof reference !== 'string') return value;
      if (!reference.startsWith('#/')) {
        this.outside.add(reference);
        return undefined;
      }
      value = reference
        .slice(2)
        .split('/')
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>(
          (found, step) => (isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined),
          this.#document,
        );
    }
    return undefined;
  }
}

const listIn = (object: Json, name: string): unknown[] => (Array.isArray(object[name]) ? object[name] : []);

function schemaIn(content: unknown): unknown {
  if (!isObject(content)) return undefined;
  const type = Object.keys(content).find((each) => /json/.test(each)) ?? Object.keys(content)[0];
  const found = type === undefined ? undefined : content[type];
  return isObject(found) ? found['schema'] : undefined;
}

/** Numbers are written in two ways, and `null` says only that a value may be absent. */
function fieldOf(schema: Json): Omit<Field, 'required'> {
  const types = [schema['type'] ?? []]
    .flat()
    .filter((type): type is string => typeof type === 'string' && type !== 'null')
    .map((type) => (type === 'integer' ? 'number' : type));
  const values = listIn(schema, 'enum');
  return { types, ...(values.length > 0 && { values }) };
}

function joined(one: Field | undefined, other: Field): Field {
  if (!one) return other;
  const values =
    one.values && other.values
      ? [...new Set([...one.values, ...other.values])]
      : (one.values ?? other.values);
  return {
    types: [...new Set([...one.types, ...other.types])],
    required: one.required && other.required,
    ...(values && { values }),
  };
}
