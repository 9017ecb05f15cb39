import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import {
  isEmpty,
  isPage,
  onlyReference,
  responseOf,
  type CompiledContract,
  type Operation,
  type Response,
} from './compiled.ts';
import { SchemaCache, type SchemaTaker } from './schema-cache.ts';
import { boundErrors, withErrors, type AjvError, type Complaint } from './violations.ts';

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
  formats: Record<string, unknown>;
  addFormat(name: string, format: TextFormat): unknown;
  getSchema(name: string): SchemaCheck | undefined;
}
interface TextFormat {
  validate(text: string): boolean;
}
type SchemaCheck = ((value: unknown) => boolean) & { errors?: AjvError[] | null };

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

interface RequestChecks {
  /** The media type of the requests that the checks are for. */
  contentType: string;
  all: readonly SchemaCheck[];
}

interface ResponseCheck {
  isGood(body: unknown): boolean;
  complaints(body: unknown): readonly Complaint[];
}

const JSON_TYPE = 'application/json';
const NONE: readonly never[] = [];

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
  /** For requests without a query. */
  readonly #requestChecks = new Map<Operation, RequestChecks>();
  readonly #responseChecks = new Map<Operation, Map<number, ResponseCheck>>();

  constructor({ schemas }: CompiledContract) {
    const requestOptions = { ...OPTIONS, useDefaults: true, allowUnknownQueryParameters: true };
    this.#requests = new RequestValidator(emptyDocument() as never, requestOptions as never);
    this.#responses = new ResponseValidator(emptyDocument() as never, OPTIONS as never, {}, 0);
    const { ajv, ajvBody } = this.#requests as unknown as { ajv: Ajv; ajvBody: Ajv };
    this.#requestAjvs = [ajv, ajvBody];
    this.#schemas = (this.#responses as unknown as { ajvBody: Ajv }).ajvBody;
    const ajvs = [ajv, ajvBody, this.#schemas];
    for (const each of ajvs) checkTimesFast(each);
    this.#cache = new SchemaCache(schemas, ajvs);
  }

  /** Converts query and path values to the declared types, in place. */
  request(operation: Operation, raw: RawRequest): readonly Complaint[] {
    // Without a query, the library only checks, and preparing the request for it costs more than the checks.
    const known = raw.url.includes('?') ? undefined : this.#requestChecks.get(operation);
    if (known?.contentType === raw.contentType && known.all.every((isGood) => isGood(raw))) return NONE;
    this.#cache.supply(operation);
    const complaints = this.#requestComplaints(operation, raw);
    if (complaints.length > 0) return withErrors(complaints, this.#requestErrors(operation, raw));
    if (isPlain(operation)) this.#rememberChecks(operation, raw);
    return NONE;
  }

  #requestComplaints(operation: Operation, raw: RawRequest): Complaint[] {
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
    return complaintsOf(() => this.#requests.validate(request as never, {} as never, () => {}));
  }

  #rememberChecks(operation: Operation, raw: RawRequest): void {
    const all = this.#compiledChecks(operation, raw);
    if (all.length !== this.#requestAjvs.length) return;
    this.#requestChecks.set(operation, { contentType: raw.contentType, all });
  }

  /** The checks of parameters and body that the library has compiled. The key is that of the library. */
  #compiledChecks({ id }: Operation, { method, contentType }: RawRequest): SchemaCheck[] {
    const key = `${method}-${id}-${contentType || 'not_provided'}`;
    return this.#requestAjvs.flatMap((ajv) => ajv.getSchema(key) ?? []);
  }

  /** Errors of the latest check, in the order of the complaints. */
  #requestErrors(operation: Operation, raw: RawRequest): AjvError[] {
    return this.#compiledChecks(operation, raw).flatMap(({ errors }) => errors ?? []);
  }

  /** How the body breaks the document's response for this status. */
  response(operation: Operation, status: number, body: unknown): readonly Complaint[] {
    const check = this.#responseChecks.get(operation)?.get(status) ?? this.#checkResponse(operation, status);
    return check.isGood(body) ? NONE : check.complaints(body);
  }

  /** Built at first use. */
  #checkResponse(operation: Operation, status: number): ResponseCheck {
    const checks = this.#responseChecks.get(operation) ?? new Map<number, ResponseCheck>();
    this.#responseChecks.set(operation, checks);
    const check = this.#responseCheckOf(operation, status);
    checks.set(status, check);
    return check;
  }

  #responseCheckOf(operation: Operation, status: number): ResponseCheck {
    const declared = responseOf(operation, status);
    if (!declared) return refusal('', `no schema defined for status code ${status}`, () => false);
    if (isEmpty(declared)) return refusal('/response', 'must be absent', (body) => body === undefined);
    if (isPage(declared))
      return refusal(
        '/response',
        'must be a string, because the response is a page',
        (body) => typeof body === 'string',
      );
    return this.#jsonCheck(operation, status, declared);
  }

  /** Responses that are one named schema, such as all errors, share a check. */
  #jsonCheck(operation: Operation, status: number, declared: Response): ResponseCheck {
    this.#cache.supply(operation);
    const shared = onlyReference(declared);
    const expressRoute = shared ? `/${shared.replace(':', '/')}` : `/${operation.id}/${status}`;
    const key = { method: 'GET', headers: {}, openapi: { expressRoute } };
    const statusCode = shared ? 200 : status;
    const responses = { [statusCode]: declared };
    const validators = this.#responses._getOrBuildValidator(key as never, responses as never);
    const byType = validators[statusCode] as unknown as Record<string, SchemaCheck> | undefined;
    const isValid = byType?.[JSON_TYPE];
    const known = { validators, statusCode, path: operation.id, accepts: [JSON_TYPE] };
    return {
      // Faster than the library, which parses the media types each time.
      isGood: (body) => body != null && isValid?.({ response: body }) === true,
      complaints: (body) => complaintsOf(() => this.#responses._validate({ ...known, body: body as never })),
    };
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

/** A time as this program writes it. */
const OWN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Most times are written by this program, and the library's check takes ten times as long. */
function checkTimesFast(ajv: Ajv): void {
  const known = ajv.formats['date-time'] as TextFormat;
  ajv.addFormat('date-time', {
    ...known,
    validate: (text) => OWN_TIME.test(text) || known.validate(text),
  });
}

const refusal = (path: string, message: string, isGood: (body: unknown) => boolean): ResponseCheck => ({
  isGood,
  complaints: () => [{ path, message }],
});

/** Whether the library changes nothing of a request without a query, except by the types that the checks convert. */
const isPlain = ({ parameters }: Operation) =>
  parameters.every(
    ({ in: place, schema: { type } }) => place !== 'header' && PLAIN_TYPES.includes(String(type)),
  );

const PLAIN_TYPES = ['string', 'integer', 'number', 'boolean'];

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
