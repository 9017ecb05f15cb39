import { ApiError, type FieldViolation } from '../errors.ts';
import { isObject } from '../text/json.ts';
import { responseOf, type CompiledContract, type Operation, type Schema } from './compiled.ts';
import { readProtoJson, snakeCase } from './proto-json.ts';
import { Router, type Route } from './router.ts';
import type { UnknownField } from './types.ts';
import { Validators } from './validators.ts';
import { violationsOf, type Complaint } from './violations.ts';

export interface UncheckedInput {
  method: string;
  url: string;
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  mediaType: string;
  body: unknown;
  /** A body where the operation has none. */
  unasked?: Uint8Array;
}

export interface CheckedInput {
  input: {
    path: Record<string, unknown>;
    query: Record<string, unknown>;
    headers: Record<string, unknown>;
    cookies: Record<string, string>;
    body: unknown;
  };
  /** What the document does not name; it is not in the input. */
  unknown: UnknownField[];
  /** Every rule that the request breaks, in the service's words. With any of them the input must not be used. */
  violations: FieldViolation[];
}

/** What one OpenAPI document promises: which operation a path is, and whether a request or a response keeps the promise. */
export class Contract {
  readonly #compiled: CompiledContract;
  readonly #router: Router;
  readonly #byId: Map<string, Operation>;
  /** Schemas of an operation's query parameters, by name; made when it is first called. */
  readonly #queries = new Map<Operation, Map<string, Schema>>();
  #messages: Map<string, Operation> | undefined;
  #validators: Validators | undefined;

  constructor(compiled: CompiledContract) {
    this.#compiled = compiled;
    this.#router = new Router(compiled.operations);
    this.#byId = new Map(compiled.operations.map((operation) => [operation.id, operation]));
  }

  get operations(): readonly Operation[] {
    return this.#compiled.operations;
  }

  /** What the service sends of itself; the request is its own, the answer another's. */
  get messages(): readonly Operation[] {
    return this.#compiled.messages;
  }

  /** By its name in the document, such as `organization.created`. */
  message(name: string): Operation | undefined {
    this.#messages ??= new Map(this.messages.map((message) => [message.path, message]));
    return this.#messages.get(name);
  }

  operation(id: string): Operation | undefined {
    return this.#byId.get(id);
  }

  route(method: string, path: string): Route {
    return this.#router.route(method, path);
  }

  checkRequest(operation: Operation, given: UncheckedInput): CheckedInput {
    // The service's JSON mapping takes null for nothing, a whole body too.
    const request = operation.open ? given : { ...given, body: given.body ?? undefined };
    const query = this.#readQuery(operation, request.query);
    const body = this.#readBody(operation, request);
    const path = { ...request.params };
    const raw = {
      ...request,
      contentType: request.mediaType,
      params: path,
      query: query.value,
      body: body.value,
    };
    const complaints = this.#validating.request(operation, raw);
    const missing = missingBody(operation, request);
    return {
      input: {
        path,
        query: query.value,
        headers: namedHeaders(operation, request),
        cookies: namedCookies(operation, request),
        body: body.value,
      },
      unknown: [...query.unknown, ...body.unknown],
      violations: missing ? [missing] : violationsOf(complaints, operation, body.value),
    };
  }

  /** Throws `contract_violation`: the answer is not what the document says, a bug of ours. */
  checkResponse(operation: Operation, status: number, body: unknown): void {
    const complaints = this.#validating.response(operation, status, body);
    if (complaints.length === 0) return;
    const broken = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    throw new ApiError(
      'contract_violation',
      `response breaks the contract: ${operation.id} ${status}: ${broken}`,
    );
  }

  /** How an answer would break the contract. Paths are pointers into it, below `/response`. */
  responseComplaints(operation: Operation, status: number, body: unknown): Complaint[] {
    return this.#validating.response(operation, status, body);
  }

  /** How what the service sends under that name would break the contract. Paths are pointers, below `/body`. */
  messageComplaints(name: string, body: unknown): Complaint[] {
    const message = this.message(name);
    if (!message) return [{ path: '', message: `the document has no message ${name}` }];
    return this.#validating.request(message, { ...SENT, body });
  }

  /** Throws `contract_violation` for a medium that the document does not promise with this status. */
  checkMediaType(operation: Operation, status: number, mediaType: string): void {
    const promised = Object.keys(responseOf(operation, status)?.content ?? {});
    if (promised.some((each) => mediaType.startsWith(each))) return;
    throw new ApiError(
      'contract_violation',
      `response breaks the contract: ${operation.id} ${status}: ${mediaType} is none of ${promised.join(', ')}`,
    );
  }

  checkSchema(name: string, value: unknown): Complaint[] {
    return this.#validating.schema(name, value);
  }

  schemaNamed(name: string): Schema | undefined {
    return this.#compiled.schemas[name];
  }

  get #validating(): Validators {
    return (this.#validators ??= new Validators(this.#compiled));
  }

  #readQuery(operation: Operation, query: Record<string, unknown>) {
    if (operation.open) return { value: query, unknown: [] };
    const declared = this.#declared(operation);
    const unknown: UnknownField[] = [];
    const value: Record<string, unknown> = {};
    for (const [key, given] of Object.entries(query)) {
      const name = declared.has(key) ? key : snakeCase(key);
      const schema = declared.get(name);
      if (!schema) unknown.push({ field: `query.${key}`, name: key, known: () => [...declared.keys()] });
      else if (schema.type === 'array') value[name] = [given].flat();
      // The service takes the last of several; OAuth has none of it (RFC 6749 3.1), and a page of ours neither.
      else value[name] = operation.errorShape === 'envelope' ? [given].flat().at(-1) : given;
    }
    return { value, unknown };
  }

  #declared(operation: Operation): Map<string, Schema> {
    const known = this.#queries.get(operation);
    if (known) return known;
    const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
    const declared = new Map(inQuery.map(({ name, schema }) => [name, schema]));
    this.#queries.set(operation, declared);
    return declared;
  }

  #readBody(operation: Operation, request: UncheckedInput): { value: unknown; unknown: UnknownField[] } {
    const { body, mediaType } = request;
    if (operation.open) return { value: body, unknown: [] };
    const schema = operation.requestBody?.content[mediaType]?.schema;
    if (!schema) return { value: undefined, unknown: unasked(request.unasked) };
    if (body === undefined && operation.requestBody?.required) return { value: {}, unknown: [] };
    return readProtoJson(body, schema, this.#compiled.schemas);
  }
}

/** Of what the service sends, only the body is promised. */
const SENT = {
  method: 'POST',
  url: '/',
  contentType: 'application/json',
  params: {},
  query: {},
  headers: {},
};

/** What is in a body that the operation does not have. An empty object is what some clients always send. */
function unasked(bytes: Uint8Array | undefined): UnknownField[] {
  if (!bytes || bytes.length === 0) return [];
  const names = memberNames(new TextDecoder().decode(bytes));
  const fields = names?.map((name) => ({ field: `body.${name}`, name, known: () => [] }));
  return fields ?? [{ field: 'body', name: 'body', known: () => [] }];
}

/** undefined: it is no JSON object. */
function memberNames(text: string): string[] | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return value === null || isObject(value) ? Object.keys(value ?? {}) : undefined;
  } catch {
    return undefined; // whatever it is, nobody reads it
  }
}

/** Of a body that is bound to one field of the RPC request, the field is missing, not what is in it. */
function missingBody({ bodyField, requestBody }: Operation, { body, mediaType }: UncheckedInput) {
  if (bodyField === undefined || !requestBody?.required) return undefined;
  const isList = requestBody.content[mediaType]?.schema.type === 'array';
  if (body !== undefined && !(isList && Array.isArray(body) && body.length === 0)) return undefined;
  return { field: bodyField, description: 'value is required', constraint: 'required' };
}

/** The headers that the operation has parameters for. */
function namedHeaders({ parameters }: Operation, { headers }: UncheckedInput): Record<string, unknown> {
  const named = parameters.filter((parameter) => parameter.in === 'header');
  return Object.fromEntries(named.map(({ name }) => [name, headers[name.toLowerCase()]]));
}

const NO_COOKIES = {};

/** The cookies that the operation has parameters for (RFC 6265 5.4); of two with one name the first counts. */
function namedCookies({ cookies }: Operation, { headers }: UncheckedInput): Record<string, string> {
  const sent = headers['cookie'];
  if (!cookies || typeof sent !== 'string') return NO_COOKIES;
  const pairs = sent.split(';').map((pair) => pair.trim().split(/=(.*)/s));
  const known = pairs.filter(([name]) => cookies.includes(name!)).map(([name, value = '']) => [name, value]);
  return Object.fromEntries(known.toReversed());
}
