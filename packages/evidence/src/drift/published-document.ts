import { UsageError } from '@understudy/core/cli/usage-error';
import { valueOfYaml } from '@understudy/core/scenarios/yaml-text';
import { isObject, parseJson } from '@understudy/text/json';

/** A document that cannot be read. The message says where and why. */
export class DocumentError extends UsageError {}

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

interface Field {
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
const LONGEST = 10_000_000;
const MOST_FIELDS = 5000;
const DEEPEST = 12;
/** Schemas, parameters, names and values to look at, after all references are followed. The API has 18 000. */
const MOST_STEPS = 1_000_000;
/** Characters of a path or name that cost one step. */
const CHARACTERS = 100;
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
  const reader = new DocumentReader(name, value);
  return {
    title: textIn(info, 'title'),
    version: textIn(info, 'version'),
    operations: reader.operations(value['paths']),
    outside: reader.outside,
  };
}

function parsed(name: string, text: string): unknown {
  try {
    const isJson = /^\s*[[{]/.test(text);
    return isJson ? parseJson(text) : valueOfYaml(text);
  } catch (thrown) {
    throw new DocumentError(`${name}: ${(thrown as Error).message}`);
  }
}

const textIn = (object: Json, name: string): string => (typeof object[name] === 'string' ? object[name] : '');

/** The names of variables do not matter, nor does what only some servers put before a path. */
const keyOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;

class DocumentReader {
  readonly outside = new Set<string>();
  readonly #name: string;
  readonly #document: Json;
  readonly #base: string;
  readonly #resolved = new Map<string, unknown>();
  /** Operations share schemas. */
  readonly #fields = new Map<Json, Fields>();
  #left = MOST_STEPS;

  constructor(name: string, document: Json) {
    this.#name = name;
    this.#document = document;
    const { basePath } = document;
    this.#base = typeof basePath === 'string' ? basePath.replace(/\/$/, '') : '';
  }

  #spend(steps: number, text = ''): void {
    this.#left -= steps + Math.floor(text.length / CHARACTERS);
    if (this.#left < 0)
      throw new DocumentError(
        `${this.#name}: it is too large when its references are followed: it has more than ${MOST_STEPS} schemas, names and values`,
      );
  }

  operations(paths: Json): Map<string, PublishedOperation> {
    const found = new Map<string, PublishedOperation>();
    for (const [path, written] of Object.entries(paths)) {
      const item = this.#resolve(written);
      for (const method of METHODS) {
        const operation = item?.[method];
        this.#spend(1);
        if (!item || !isObject(operation)) continue;
        this.#spend(1, this.#base + path);
        const read = this.#operation(method, `${this.#base}${path}`, item, operation);
        found.set(read.key, read);
      }
    }
    return found;
  }

  #operation(method: string, path: string, item: Json, operation: Json): PublishedOperation {
    const parameters: Json[] = [listIn(item, 'parameters'), listIn(operation, 'parameters')]
      .flatMap((list) => this.#counted(list))
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
    const status = this.#counted(Object.keys(responses)).find((each) => /^[23]\d\d$/.test(each));
    return status === undefined ? [undefined, undefined] : [Number(status), this.#resolve(responses[status])];
  }

  #parameters(parameters: readonly Json[]): Fields {
    const fields: Fields = new Map();
    for (const parameter of parameters) {
      if (parameter['in'] !== 'query') continue;
      const schema = this.#resolve(parameter['schema']) ?? parameter;
      this.#counted(listIn(schema, 'enum'));
      fields.set(textIn(parameter, 'name'), { ...fieldOf(schema), required: parameter['required'] === true });
    }
    return fields;
  }

  #fieldsOf(written: unknown): Fields {
    const schema = this.#resolve(written);
    if (!schema) return new Map();
    const known = this.#fields.get(schema);
    if (known) return known;
    const fields: Fields = new Map();
    this.#collect(schema, { at: '', required: false, within: [] }, fields);
    this.#fields.set(schema, fields);
    return fields;
  }

  #counted<T>(list: readonly T[]): readonly T[] {
    this.#spend(list.length);
    return list;
  }

  /** Alternatives are joined: a field of one of them is a field. */
  #collect(
    written: unknown,
    place: { at: string; required: boolean; within: readonly unknown[] },
    fields: Fields,
  ): void {
    const schema = this.#resolve(written);
    const { at, within, required } = place;
    this.#spend(1, at);
    // A schema within itself has the fields that it has outside.
    if (!schema || within.includes(schema) || within.length > DEEPEST || fields.size >= MOST_FIELDS) return;
    const inside = [...within, schema];
    this.#counted(listIn(schema, 'enum'));
    if (at !== '') fields.set(at, joined(fields.get(at), { ...fieldOf(schema), required }));
    for (const each of [listIn(schema, 'allOf'), listIn(schema, 'oneOf'), listIn(schema, 'anyOf')].flat())
      this.#collect(each, { at, required, within: inside }, fields);
    const names = new Set(this.#counted(listIn(schema, 'required')));
    for (const [name, member] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {}))
      this.#collect(
        member,
        { at: at === '' ? name : `${at}.${name}`, required: names.has(name), within: inside },
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
      if (!this.#resolved.has(reference)) this.#resolved.set(reference, this.#valueAt(reference));
      value = this.#resolved.get(reference);
    }
    return undefined;
  }

  #valueAt(reference: string): unknown {
    return reference
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>(
        (found, step) => (isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined),
        this.#document,
      );
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
