import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { isInputOnly, isOutputOnly, type Binding, type Rpc } from './descriptors.ts';
import { describeType, fits, withoutNull, isWellKnown, jsonTypesOf, type Schema } from './json-types.ts';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
  'x-body-field'?: string;
}

interface Content {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}

type Verb = 'get' | 'put' | 'post' | 'delete' | 'patch';
const VERBS: readonly Verb[] = ['get', 'put', 'post', 'delete', 'patch'];

type PathItem = Partial<Record<Verb, Operation>> & { parameters?: Parameter[] };

export interface Document {
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, Schema> };
}

type Direction = 'request' | 'response';

/** Compares the contract with the SDK's descriptors and describes each difference. */
export class Comparison {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** Whether the contract has the RPC. */
  supports(rpc: Rpc): boolean {
    return this.#find(rpc).length > 0;
  }

  differences(rpc: Rpc): string[] {
    const found = rpc.bindings.flatMap((binding) => this.#binding(rpc, binding));
    return [...new Set(found)];
  }

  #find({ name }: Rpc) {
    return Object.entries(this.#document.paths).flatMap(([path, item]) =>
      VERBS.flatMap((verb) => {
        const operation = item[verb];
        const isIt = operation?.operationId.replace(/\d$/, '') === name;
        return isIt ? [{ path, verb, operation, parameters: item.parameters ?? [] }] : [];
      }),
    );
  }

  #binding(rpc: Rpc, { verb, path, body }: Binding): string[] {
    const found = this.#find(rpc).find((each) => each.verb === verb && shapeOf(each.path) === shapeOf(path));
    if (!found) return [`${rpc.name}: no binding ${verb.toUpperCase()} ${path}`];
    const { operation } = found;
    // An operation that is not implemented yet has only a name and paths.
    const answer = successOf(operation);
    if (!answer) return [];
    const bodyField = operation['x-body-field'] ?? (operation.requestBody ? '*' : '');
    if (bodyField !== body) return [`${rpc.name}: body is ${bodyField || 'none'}, not ${body || 'none'}`];
    const variables = namedBy(rpc.input, path);
    const parameters = [...found.parameters, ...(operation.parameters ?? [])].map((each) =>
      this.#resolve(each),
    );
    return [
      ...this.#query(rpc.input, parameters, [...variables, body]),
      ...this.#body(rpc.input, operation, body, variables),
      ...this.#message(rpc.output, this.#schemaOf(answer), 'response', new Set()),
    ];
  }

  /** Fields outside path and body are query parameters; nested ones have dotted names. */
  #query(
    input: DescMessage,
    parameters: readonly Parameter[],
    others: readonly string[],
    prefix = '',
  ): string[] {
    if (others.includes('*')) return [];
    return input.fields.flatMap((field) => {
      if (prefix === '' && others.includes(field.name)) return [];
      if (isOutputOnly(field)) return [];
      const name = `${prefix}${field.name}`;
      if (field.fieldKind === 'message' && !isWellKnown(field.message))
        return this.#query(field.message, parameters, [], `${name}.`);
      const parameter = parameters.find((each) => each.in === 'query' && each.name === name);
      return parameter
        ? this.#value(field, parameter.schema, 'request', new Set())
        : [`query ${titleOf(field)}: missing`];
    });
  }

  #body(input: DescMessage, operation: Operation, body: string, variables: readonly string[]): string[] {
    if (body === '') return [];
    const schema = this.#schemaOf(operation.requestBody);
    if (body === '*') return this.#message(input, schema, 'request', new Set(), variables);
    const field = input.fields.find((each) => each.name === body);
    if (!field) return [`request ${input.typeName}: body ${body} is no field`];
    return this.#value(field, schema, 'request', new Set());
  }

  #message(
    message: DescMessage,
    schema: Schema,
    direction: Direction,
    around: ReadonlySet<DescMessage>,
    elsewhere: readonly string[] = [],
  ): string[] {
    if (around.has(message)) return [];
    const isForeign = direction === 'request' ? isOutputOnly : isInputOnly;
    const within = new Set([...around, message]);
    return message.fields.flatMap((field) => {
      if (elsewhere.includes(field.name) || isForeign(field)) return [];
      const member = this.#member(schema, field.name);
      if (!member) return [`${direction} ${titleOf(field)}: missing`];
      return this.#value(field, member, direction, within);
    });
  }

  /** Compares the value of a field: a list, a map or a single value. */
  #value(
    field: DescField,
    written: Schema,
    direction: Direction,
    within: ReadonlySet<DescMessage>,
  ): string[] {
    const schema = this.#resolve(written);
    const wrong = (wanted: string) => [
      `${direction} ${titleOf(field)}: ${describeType(schema)}, not ${wanted}`,
    ];
    if (field.fieldKind === 'list') {
      return schema.items ? this.#single(field, schema.items, direction, within) : wrong('array');
    }
    if (field.fieldKind === 'map') return fits(schema, ['object']) ? [] : wrong('object');
    return this.#single(field, schema, direction, within);
  }

  #single(
    field: DescField,
    written: Schema,
    direction: Direction,
    within: ReadonlySet<DescMessage>,
  ): string[] {
    const schema = this.#resolve(written);
    const wanted = jsonTypesOf(field);
    const wrong = fits(schema, wanted)
      ? []
      : [`${direction} ${titleOf(field)}: ${describeType(schema)}, not ${wanted.join(' or ')}`];
    if (field.enum) return [...wrong, ...this.#words(field, field.enum, schema, direction)];
    if (!field.message || isWellKnown(field.message)) return wrong;
    return [...wrong, ...this.#message(field.message, schema, direction, within)];
  }

  /** The zero value of an enum means unset and can be missing. */
  #words(field: DescField, { values }: DescEnum, schema: Schema, direction: Direction): string[] {
    if (!schema.enum) return [`${direction} ${titleOf(field)}: names no words`];
    return values
      .filter(({ number, name }) => number !== 0 && !schema.enum!.includes(name))
      .map(({ name }) => `${direction} ${titleOf(field)}: no ${name}`);
  }

  #member(written: Schema, name: string): Schema | undefined {
    const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = this.#resolve(written);
    if (Object.hasOwn(properties, name)) return properties[name];
    for (const part of [...allOf, ...anyOf, ...oneOf]) {
      const member = this.#member(part, name);
      if (member) return member;
    }
    return undefined;
  }

  #schemaOf(written: Content | undefined): Schema {
    const { content = {} } = written ? this.#resolve(written) : {};
    return this.#resolve(Object.values(content)[0]?.schema ?? {});
  }

  #resolve<T extends { $ref?: string }>(nullable: T): T {
    const written = withoutNull(nullable);
    if (written.$ref === undefined) return written;
    const steps = written.$ref.slice(2).split('/');
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], this.#document);
    return this.#resolve(found as T);
  }
}

const successOf = ({ responses }: Operation): Content | undefined =>
  Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];

const titleOf = ({ parent, name }: DescField) => `${parent.typeName.replace('scalekit.v1.', '')}.${name}`;

/** The fields that the path sets: its variables, and the other fields of their oneofs. */
function namedBy(input: DescMessage, path: string): string[] {
  const variables = [...path.matchAll(/\{([^}=]+)/g)].map(([, name = '']) => name);
  const choices = input.oneofs.filter(({ fields }) => fields.some(({ name }) => variables.includes(name)));
  return [...variables, ...choices.flatMap(({ fields }) => fields.map(({ name }) => name))];
}

/** Path variables can have different names. */
const shapeOf = (path: string) => path.replace(/\{[^}]*\}/g, '{}');
