import type { Operation, Schema } from '@understudy/core/contract/compiled';
import type { Contract } from '@understudy/core/contract/contract';
import { isObject } from '@understudy/text/json';
import { bodiesOf, isRpc, type Exchange } from './exchange.ts';
import { formatOf } from './formats.ts';
import { ordersOf } from './list-orders.ts';
import {
  emptyShape,
  fieldBelow,
  itemBelow,
  mergeShapes,
  ROOT,
  type AnswerShape,
  type FieldShape,
  type Shape,
} from './shape.ts';

/** The shape of a recording's exchanges. Broken answers and those of HEAD show nothing. */
export const shapeOf = (exchanges: readonly Exchange[], contract: Contract): Shape =>
  whole(exchanges.map((exchange) => shapeOfOne(exchange, contract)));

/** Halves are merged, because a merge takes as long as both shapes are large. */
function whole(shapes: readonly Shape[]): Shape {
  if (shapes.length < 2) return shapes[0] ?? emptyShape();
  const half = Math.ceil(shapes.length / 2);
  return mergeShapes(whole(shapes.slice(0, half)), whole(shapes.slice(half)));
}

function shapeOfOne(exchange: Exchange, contract: Contract): Shape {
  const { protocol, request, response } = exchange;
  if (response.failed !== undefined || request.method === 'HEAD') return emptyShape();
  if (protocol === 'webhook') return shapeOfEvent(exchange, contract);
  const operation = exchange.operation === undefined ? undefined : contract.operation(exchange.operation);
  const answer = { [statusOf(exchange)]: shapeOfAnswer(exchange, operation, contract) };
  return { ...emptyShape(), operations: { [nameOf(exchange)]: answer } };
}

/** An exchange's name in a shape. */
const nameOf = ({ operation, request: { method, path } }: Exchange): string =>
  operation ?? `${method} ${withoutValues(path)}`;

/** A path may hold ids and secrets: only its words are kept. */
export const withoutValues = (path: string): string =>
  path
    .split(/[?#]/, 1)[0]!
    .split('/')
    .map((segment) => (segment === '' || isWord(segment) ? segment : '{value}'))
    .join('/');

/** Whether a name is of a program rather than of data. */
const isWord = (name: string) =>
  /^[A-Za-z_@$][\w$:.-]{0,59}$/.test(name) && name.replace(/\D/g, '').length < FEWEST_DIGITS_OF_DATA;

const FEWEST_DIGITS_OF_DATA = 4;

const CONNECT_CODES = [
  'ok canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied',
  'resource_exhausted failed_precondition aborted out_of_range unimplemented internal unavailable data_loss',
  'unauthenticated',
].flatMap((line) => line.split(' '));

/** The status of HTTP, such as `404`, or of an RPC, such as `grpc 5`. */
function statusOf(exchange: Exchange): string {
  const { status, trailers, json } = exchange.response;
  if (!isRpc(exchange)) return String(status);
  const told = trailers?.['grpc-status'];
  if (told !== undefined) return `grpc ${told}`;
  if (status === 200) return 'grpc 0';
  const code = isObject(json) ? CONNECT_CODES.indexOf(String(json['code'])) : -1;
  return code < 0 ? String(status) : `grpc ${code}`;
}

/** Headers that say nothing about the service. */
const OF_THE_WAY = /^(connection|content-length|date|keep-alive|trailer|transfer-encoding|via|server|:.*)$/;

const namesIn = (headers: Exchange['response']['headers']) =>
  Object.fromEntries(
    Object.keys(headers)
      .filter((name) => !OF_THE_WAY.test(name))
      .map((name): [string, number] => [name, 1]),
  );

function shapeOfAnswer(
  exchange: Exchange,
  operation: Operation | undefined,
  contract: Contract,
): AnswerShape {
  const { request, response } = exchange;
  const content = operation?.responses[contractStatus(exchange, operation)]?.content;
  const bodies = bodiesOf(response);
  const errors = bodies.flatMap(errorCodesIn);
  return {
    examples: 1,
    headers: namesIn({ ...response.headers, ...response.trailers }),
    ...(errors.length > 0 && { errors: Object.fromEntries(errors.map((code) => [code, 1])) }),
    fields: new Fields(contract, pageSizeOf(request)).of(
      bodies,
      content && Object.values(content)[0]?.schema,
    ),
  };
}

/** An RPC that succeeds has the message of the operation's own status. */
const contractStatus = (exchange: Exchange, operation: Operation): number =>
  isRpc(exchange) && statusOf(exchange) === 'grpc 0' ? operation.status : exchange.response.status;

function shapeOfEvent({ request }: Exchange, contract: Contract): Shape {
  const { json } = request;
  const type = isObject(json) ? json['type'] : undefined;
  if (typeof type !== 'string' || !isWord(type)) return emptyShape();
  const content = contract.message(type)?.requestBody?.content;
  const schema = content && Object.values(content)[0]?.schema;
  const fields = new Fields(contract, undefined).of([json], schema);
  return { ...emptyShape(), events: { [type]: { examples: 1, headers: namesIn(request.headers), fields } } };
}

const isCode = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value));

/** The codes in an error of the service, of OAuth, of SCIM or of JSON-RPC. */
function errorCodesIn(body: unknown): string[] {
  if (!isObject(body)) return [];
  const details = Array.isArray(body['details']) ? body['details'].filter(isObject) : [];
  const named = details.map((detail) => detail['error_code']);
  const inner = isObject(body['error']) ? body['error']['code'] : body['error'];
  const codes = details.length > 0 ? named : [inner, body['scimType']];
  return [...new Set(codes.filter(isCode).map(String))];
}

function pageSizeOf({ path, json, messages }: Exchange['request']): string | undefined {
  const asked = new URLSearchParams(path.split('?')[1]).get('page_size');
  const [body] = bodiesOf({ headers: {}, ...(messages ? { messages } : { json }) });
  const size = String(asked ?? (isObject(body) ? body['page_size'] : ''));
  return /^\d{1,6}$/.test(size) ? size : undefined;
}

/** The fields of one body, or of the messages of one call. */
class Fields {
  readonly #contract: Contract;
  readonly #pageSize: string;
  readonly #known = new Map<string, FieldShape & { formats: string[]; values: string[] }>();

  constructor(contract: Contract, pageSize: string | undefined) {
    this.#contract = contract;
    this.#pageSize = pageSize ?? 'unasked';
  }

  of(bodies: readonly unknown[], schema: Schema | undefined): Record<string, FieldShape> {
    for (const body of bodies) this.#add(body, ROOT, schema);
    const fields = [...this.#known].map(([path, { formats, values, ...field }]): [string, FieldShape] => [
      path,
      { ...field, ...(formats.length > 0 && { formats }), ...(values.length > 0 && { values }) },
    ]);
    return Object.fromEntries(fields);
  }

  #add(value: unknown, path: string, written: Schema | undefined): void {
    const schema = this.#follow(written);
    const field = this.#known.get(path) ?? { present: 0, types: [], formats: [], values: [] };
    this.#known.set(path, field);
    field.present += 1;
    add(field.types, value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
    if (typeof value === 'string') this.#addText(value, field, schema);
    else if (Array.isArray(value)) this.#addList(value, { path, field, items: schema?.items });
    else if (isObject(value)) this.#addObject(value, { path, field, schema });
  }

  #addText(text: string, field: { formats: string[]; values: string[] }, schema: Schema | undefined): void {
    if (schema?.enum && isWord(text)) add(field.values, text);
    else add(field.formats, formatOf(text));
  }

  #addList(
    list: readonly unknown[],
    at: { path: string; field: FieldShape; items: Schema | undefined },
  ): void {
    const { field, path, items } = at;
    const [fewest, most] = field.lengths?.[this.#pageSize] ?? [Infinity, 0];
    field.lengths = { [this.#pageSize]: [Math.min(fewest, list.length), Math.max(most, list.length)] };
    const orders = ordersOf(list);
    if (orders) {
      field.lists = (field.lists ?? 0) + 1;
      field.order ??= {};
      for (const order of orders) field.order[order] = (field.order[order] ?? 0) + 1;
    }
    for (const item of list) this.#add(item, itemBelow(path), items);
  }

  #addObject(
    object: Record<string, unknown>,
    { path, field, schema }: { path: string; field: FieldShape; schema: Schema | undefined },
  ): void {
    field.objects = (field.objects ?? 0) + 1;
    if (schema?.['x-free-json']) return; // its names are data, too
    for (const [name, member] of Object.entries(object)) {
      const known = schema?.properties && Object.hasOwn(schema.properties, name) && schema.properties[name];
      if (known) this.#add(member, fieldBelow(path, name), known);
      else this.#add(member, fieldBelow(path, isMap(schema) || !isWord(name) ? '*' : name), undefined);
    }
  }

  #follow(schema: Schema | undefined): Schema | undefined {
    return schema?.$ref ? this.#contract.schemaNamed(schema.$ref.slice('schema:'.length)) : schema;
  }
}

/** Whether the names of its other members are data. */
const isMap = (schema: Schema | undefined) =>
  schema !== undefined && (Boolean(schema.additionalProperties) || !schema.properties);

function add(list: string[], value: string): void {
  if (list.includes(value)) return;
  list.push(value);
  list.sort();
}
