import { ApiError, type FieldViolation } from './errors.ts';
import { membersOf } from './body.ts';
import {
  responseOf,
  type CompiledContract,
  type Operation,
  type Parameter,
  type Schema,
} from './compiled.ts';
import type { PrecompiledChecks } from './precompiled-checks.ts';
import type { LooseValue } from './loose-formats.ts';
import { readProtoJson, snakeCase } from './proto-json.ts';
import { readQueryValue, violationsOf, type Complaint } from './violations.ts';
import { Router } from './router.ts';
import type { UnknownField } from './types.ts';
import { Validators } from './validators.ts';

export interface UncheckedInput {
  method: string;
  url: string;
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  /** Those that the operation declares; absent: it declares none. */
  cookies?: Record<string, string>;
  mediaType: string;
  body: unknown;
  /** Whether the body was a gRPC message. */
  isMessage?: boolean;
  /** A body for an operation that takes none. */
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
  /** Fields that the document does not name; they are not in the input. */
  unknown: UnknownField[];
  /** Values in another form than the document says; they are in the input. */
  loose: LooseValue[];
  /** All violations, in the service's wording. If there are any, the input must not be used. */
  violations: readonly FieldViolation[];
}

/** Routes and checks requests and responses by one OpenAPI document. */
export class Contract {
  readonly #read: () => CompiledContract;
  readonly #readChecks: () => PrecompiledChecks | undefined;
  #known: CompiledContract | undefined;
  #router: Router | undefined;
  #byId: Map<string, Operation> | undefined;
  /** Built at the operation's first call. */
  readonly #declared = new Map<Operation, DeclaredParameters>();
  #messages: Map<string, Operation> | undefined;
  #validators: Validators | undefined;

  /** Functions are called at the first use. `readChecks` reads the checks that the build has compiled, if there are any. */
  constructor(
    compiled: CompiledContract | (() => CompiledContract),
    readChecks: () => PrecompiledChecks | undefined = () => undefined,
  ) {
    this.#read = typeof compiled === 'function' ? compiled : () => compiled;
    this.#readChecks = readChecks;
  }

  get router(): Router {
    return (this.#router ??= new Router(this.operations));
  }

  /** The version of the document. */
  get version(): string {
    return this.#compiled.version;
  }

  get operations(): readonly Operation[] {
    return this.#compiled.operations;
  }

  /** The messages that the service sends, with the receivers' answers. */
  get messages(): readonly Operation[] {
    return this.#compiled.messages;
  }

  /** By its name in the document, such as `organization.created`. */
  message(name: string): Operation | undefined {
    this.#messages ??= new Map(this.messages.map((message) => [message.path, message]));
    return this.#messages.get(name);
  }

  operation(id: string): Operation | undefined {
    this.#byId ??= new Map(this.operations.map((operation) => [operation.id, operation]));
    return this.#byId.get(id);
  }

  checkRequest(operation: Operation, given: UncheckedInput): CheckedInput {
    // The service's JSON mapping treats null as absent, even for a whole body.
    const sent = operation.open ? given.body : (given.body ?? undefined);
    const declared = this.#parametersOf(operation);
    const unknown: UnknownField[] = [];
    const loose: LooseValue[] = [];
    const query = operation.open ? given.query : readQuery(declared, given.query, unknown);
    const body = this.#readBody(operation, given, sent, { unknown, loose });
    const { method, url, headers, mediaType: contentType, cookies = NO_COOKIES } = given;
    const path = { ...given.params };
    const raw = { method, url, contentType, params: path, query, headers, body };
    // The check converts values of path and query in place.
    const input = { path, query, headers: namedHeaders(declared, headers), cookies, body };
    const missing = missingBody(operation, contentType, sent);
    const complaints = this.#validating.request(operation, raw);
    if (missing) return { input, unknown, loose, violations: [missing] };
    if (complaints.length === 0) return { input, unknown, loose, violations: NO_VIOLATIONS };
    return { input, unknown, loose, violations: violationsOf(complaints, operation, body) };
  }

  /** Throws `contract_violation` if the answer breaks the document: a bug of ours. */
  checkResponse(operation: Operation, status: number, body: unknown): void {
    const complaints = this.#validating.response(operation, status, body);
    if (complaints.length === 0) return;
    const broken = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    throw new ApiError(
      'contract_violation',
      `response breaks the contract: ${operation.id} ${status}: ${broken}`,
    );
  }

  /** How an answer would break the contract. Paths are JSON pointers below `/response`. */
  responseComplaints(operation: Operation, status: number, body: unknown): readonly Complaint[] {
    return this.#validating.response(operation, status, body);
  }

  /**
   * How a message would break the contract. Paths are JSON pointers below `/body`. An event of a type that the document
   * lacks breaks nothing: users may emit one.
   */
  messageComplaints(name: string, body: unknown): readonly Complaint[] {
    const message = this.message(name);
    if (!message) return [];
    return this.#validating.request(message, { ...SENT, body });
  }

  /** Throws `contract_violation` if the document does not declare the media type for this status. */
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

  get #compiled(): CompiledContract {
    return (this.#known ??= this.#read());
  }

  get #validating(): Validators {
    return (this.#validators ??= new Validators(this.#compiled, this.#checks()));
  }

  /** Those of another document are left out: `npm run generate` may have run after the build. */
  #checks(): PrecompiledChecks | undefined {
    const checks = this.#readChecks();
    return checks?.digest === this.#compiled.digest ? checks : undefined;
  }

  #parametersOf(operation: Operation): DeclaredParameters {
    const known = this.#declared.get(operation);
    if (known) return known;
    const placed = (place: Parameter['in']) => operation.parameters.filter((each) => each.in === place);
    const query = new Map(placed('query').map(({ name, schema }) => [name, schema]));
    const declared = { query, headers: placed('header').map(({ name }) => name) };
    this.#declared.set(operation, declared);
    return declared;
  }

  #readBody(
    operation: Operation,
    { mediaType, unasked, isMessage }: UncheckedInput,
    body: unknown,
    { unknown, loose }: Pick<CheckedInput, 'unknown' | 'loose'>,
  ): unknown {
    if (operation.open) return body;
    const schema = operation.requestBody?.content[mediaType]?.schema;
    if (!schema) {
      if (unasked?.length) unknown.push(...membersOf(unasked));
      return undefined;
    }
    if (body === undefined && operation.requestBody?.required) return {};
    const { schemas } = this.#compiled;
    const read = readProtoJson(body, schema, { schemas, isMessage });
    unknown.push(...read.unknown);
    loose.push(...read.loose);
    return read.value;
  }
}

interface DeclaredParameters {
  query: ReadonlyMap<string, Schema>;
  headers: readonly string[];
}

/** The declared parameters. Adds the others to `unknown`. */
function readQuery(
  { query: declared }: DeclaredParameters,
  query: Record<string, unknown>,
  unknown: UnknownField[],
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(query)) {
    const name = declared.has(key) ? key : snakeCase(key);
    const schema = declared.get(name);
    if (!schema) unknown.push({ field: `query.${key}`, name: key, known: () => [...declared.keys()] });
    else if (schema.type === 'array') value[name] = [given].flat();
    else value[name] = readQueryValue(given, schema);
  }
  return value;
}

/** Only the body of a message is checked. */
const SENT = {
  method: 'POST',
  url: '/',
  contentType: 'application/json',
  params: {},
  query: {},
  headers: {},
};

/** For a body that is one field of the RPC request, the violation names the field. */
function missingBody({ bodyField, requestBody }: Operation, mediaType: string, body: unknown) {
  if (bodyField === undefined || !requestBody?.required) return undefined;
  const isList = requestBody.content[mediaType]?.schema.type === 'array';
  if (body !== undefined && !(isList && Array.isArray(body) && body.length === 0)) return undefined;
  return { field: bodyField, description: 'value is required', constraint: 'required' };
}

function namedHeaders({ headers: names }: DeclaredParameters, headers: Record<string, unknown>) {
  const named: Record<string, unknown> = {};
  for (const name of names) named[name] = headers[name.toLowerCase()];
  return named;
}

const NO_COOKIES = {};
const NO_VIOLATIONS: readonly never[] = [];
