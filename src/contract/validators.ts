import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { responseOf, type CompiledContract, type Content, type Operation, type Schema } from './compiled.ts';
import { boundErrors, type Complaint } from './violations.ts';

export interface RawRequest {
  method: string;
  url: string;
  contentType: string;
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: unknown;
}

interface Ajv extends SchemaTaker {
  getSchema(name: string): SchemaCheck | undefined;
}
type SchemaCheck = ((value: unknown) => boolean) & { errors?: AjvError[] | null };
interface AjvError {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
  /** For an error about the key of a map: the key. */
  propertyName?: string;
}

/** Options of both validators; only requests get defaults. */
const OPTIONS = {
  allErrors: true,
  strict: false,
  validateSchema: false,
  meta: false,
  validateFormats: true,
  inlineRefs: false,
  addUsedSchema: false,
  logger: false,
  formats: {},
  ajvFormats: {},
  code: { process: boundErrors },
} as const;

type Response = Operation['responses'][string];
interface ResponseCheck {
  validators: ReturnType<ResponseValidator['_getOrBuildValidator']>;
  statusCode: number;
  /** Checks JSON; undefined if the document declares none. */
  isGood: ((answer: { response: unknown }) => boolean) | undefined;
}

const JSON_TYPE = 'application/json';

/** An empty document: operations are passed with each request. */
const emptyDocument = () => ({
  openapi: '3.1.1',
  info: { title: '', version: '' },
  paths: {},
  components: {},
});

/**
 * The two validators of express-openapi-validator, called directly: each operation is compiled at its first use and
 * each schema only once. The package's middleware would compile the whole document before the first answer. The
 * package is pinned because these members are not its public API.
 */
export class Validators {
  readonly #requests: RequestValidator;
  readonly #responses: ResponseValidator;
  readonly #requestAjvs: readonly Ajv[];
  readonly #schemas: Ajv;
  readonly #cache: SchemaCache;
  readonly #checks = new Map<Response, ResponseCheck>();

  constructor({ schemas }: CompiledContract) {
    const requestOptions = { ...OPTIONS, useDefaults: true, allowUnknownQueryParameters: true };
    this.#requests = new RequestValidator(emptyDocument() as never, requestOptions as never);
    this.#responses = new ResponseValidator(emptyDocument() as never, OPTIONS as never, {}, 0);
    const { ajv, ajvBody } = this.#requests as unknown as { ajv: Ajv; ajvBody: Ajv };
    this.#requestAjvs = [ajv, ajvBody];
    this.#schemas = (this.#responses as unknown as { ajvBody: Ajv }).ajvBody;
    this.#cache = new SchemaCache(schemas, [ajv, ajvBody, this.#schemas]);
  }

  /** Converts query and path values to the declared types, in place. */
  request(operation: Operation, raw: RawRequest): Complaint[] {
    this.#cache.supply(operation);
    const request = {
      method: raw.method,
      originalUrl: raw.url,
      headers: { ...raw.headers, 'content-type': raw.contentType },
      params: raw.params,
      query: raw.query,
      body: raw.body,
      openapi: {
        expressRoute: operation.id,
        openApiRoute: operation.id,
        pathParams: raw.params,
        schema: operation,
      },
    };
    const complaints = complaintsOf(() => this.#requests.validate(request as never, {} as never, () => {}));
    return complaints.length === 0 ? complaints : withErrors(complaints, this.#requestErrors(operation, raw));
  }

  /** Errors of the latest check, in the order of the complaints. The key is that of the library. */
  #requestErrors(operation: Operation, { method, contentType }: RawRequest): AjvError[] {
    const key = `${method}-${operation.id}-${contentType || 'not_provided'}`;
    return this.#requestAjvs.flatMap((ajv) => ajv.getSchema(key)?.errors ?? []);
  }

  /** How the body breaks the document's response for this status. */
  response(operation: Operation, status: number, body: unknown): Complaint[] {
    const declared = responseOf(operation, status);
    if (!declared) return [{ path: '', message: `no schema defined for status code ${status}` }];
    if (isEmpty(declared))
      return body === undefined ? [] : [{ path: '/response', message: 'must be absent' }];
    if (isPage(declared))
      return typeof body === 'string' ? [] : [{ path: '/response', message: 'must be a text: it is a page' }];
    const { validators, statusCode, isGood } = this.#checkOf(operation, status, declared);
    // Faster than the library, which parses the media types each time.
    if (body != null && isGood?.({ response: body })) return [];
    const checked = { validators, body: body as never, statusCode, path: operation.id, accepts: [JSON_TYPE] };
    return complaintsOf(() => this.#responses._validate(checked));
  }

  /** Built at first use. Responses that are one named schema, such as all errors, share a check. */
  #checkOf(operation: Operation, status: number, declared: Response): ResponseCheck {
    const known = this.#checks.get(declared);
    if (known) return known;
    this.#cache.supply(operation);
    const shared = onlyReference(declared.content);
    const expressRoute = shared ? `/${shared.replace(':', '/')}` : `/${operation.id}/${status}`;
    const key = { method: 'GET', headers: {}, openapi: { expressRoute } };
    const statusCode = shared ? 200 : status;
    const responses = { [statusCode]: declared };
    const validators = this.#responses._getOrBuildValidator(key as never, responses as never);
    const byType = validators[statusCode] as unknown as Record<string, ResponseCheck['isGood']> | undefined;
    const check = { validators, statusCode, isGood: byType?.[JSON_TYPE] };
    this.#checks.set(declared, check);
    return check;
  }

  /** Complaints about a value by a schema of the document. */
  schema(name: string, value: unknown): Complaint[] {
    this.#cache.supplyNamed(name);
    const check = this.#schemas.getSchema(`schema:${name}`);
    if (!check) throw new Error(`the document has no schema ${name}`);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message = '', keyword, params }) => ({
      path: instancePath,
      message:
        keyword === 'additionalProperties'
          ? `has no member ${String(params['additionalProperty'])}`
          : message,
      errorCode: keyword,
    }));
  }
}

const isEmpty = ({ content = {} }: Response) => Object.keys(content).length === 0;

const isPage = ({ content = {} }: Response) => Object.keys(content).join() === 'text/html';

function onlyReference(content: Content | undefined): string | undefined {
  const schemas = Object.values(content ?? {});
  return schemas.length === 1 ? schemas[0]!.schema.$ref : undefined;
}

/** The library passes on the message of an error, but not its parameters. */
function withErrors(complaints: readonly Complaint[], errors: readonly AjvError[]): Complaint[] {
  return complaints.map((complaint, at) => {
    const { params = {}, propertyName } = errors[at] ?? {};
    if (complaint.errorCode === undefined) return complaint;
    return { ...complaint, params, ...(propertyName !== undefined && { propertyName }) };
  });
}

function complaintsOf(check: () => void): Complaint[] {
  try {
    check();
    return [];
  } catch (thrown) {
    const { errors, message, status } = thrown as { errors?: Complaint[]; message: string; status?: number };
    if (status === undefined) throw thrown;
    return errors ?? [{ path: '/', message }];
  }
}

/** A compiler for schemas that refer to others. */
export interface SchemaTaker {
  addSchema(schema: Schema, name: string): void;
}

const NAMES = /"\$ref":"schema:([^"]+)"/g;

/** Passes named schemas to the compilers at their first use, so that the start pays for none. */
export class SchemaCache {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #takers: readonly SchemaTaker[];
  readonly #supplied = new Set<string | Operation>();

  constructor(schemas: Readonly<Record<string, Schema>>, takers: readonly SchemaTaker[]) {
    this.#schemas = schemas;
    this.#takers = takers;
  }

  supply(operation: Operation): void {
    if (this.#supplied.has(operation)) return;
    this.#supplied.add(operation);
    this.#supplyAll(operation);
  }

  supplyNamed(name: string): void {
    const schema = this.#schemas[name];
    if (!schema || this.#supplied.has(name)) return;
    this.#supplied.add(name);
    for (const taker of this.#takers) taker.addSchema(schema, `schema:${name}`);
    this.#supplyAll(schema);
  }

  #supplyAll(naming: object): void {
    for (const [, name] of JSON.stringify(naming).matchAll(NAMES)) this.supplyNamed(name!);
  }
}
